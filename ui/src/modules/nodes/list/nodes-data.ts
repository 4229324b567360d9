import type { BulkRequest } from "../shared/api";
import type { Node } from "../shared/types";

export interface NodesData {
  rows: Node[];
  total: number;
}

export interface NodeActs {
  restart: (node: Node) => void;
  maintain: (node: Node, on: boolean) => void;
  bulk: (nodes: Node[], request: BulkRequest) => void;
  remove: (node: Node) => void;
}
