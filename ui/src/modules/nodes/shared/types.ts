import type { components } from "@/api/schema.gen";

type Schemas = components["schemas"];

/**
 * The description cannot say that a reference may be null; a node without a reading or outside a maintenance has none.
 */
type Nullable = {
  metrics: Schemas["NodesMetrics"] | null;
  maintenance: Schemas["NodesWindow"] | null;
  core: Omit<Schemas["NodesCoreInfo"], "last_result"> & { last_result: Schemas["NodesConfigState"] | null };
};

export type Node = Omit<Schemas["NodesNode"], keyof Nullable> & Nullable;
export type NodeDetail = Omit<Schemas["NodesDetail"], keyof Nullable> & Nullable;
export type NodeState = Node["state"];
export type Listener = Schemas["NodesListener"];
export type NodeDomain = Schemas["DomainsDomain"];
export type Enrollment = Schemas["NodesIssuedToken"];
export type Operation = Schemas["NodesOperation"];
export type Series = Schemas["NodesSeries"];
export type Metric = "cpu_pct" | "mem_used" | "net_rx_bps" | "net_tx_bps" | "tcp_established" | "sessions" | "load1";

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
  total: number;
}
