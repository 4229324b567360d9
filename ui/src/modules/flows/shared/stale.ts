import type { QueryKey } from "@tanstack/react-query";
import type { LiveEvent } from "@/api/stream";

/** What news makes stale: of a flow its own pages and the lists; of a node the lists, whose health it may change. */
export function staleFlows({ kind, subject_type: type, subject_id: id }: LiveEvent): QueryKey[] {
  const lists: QueryKey[] = [
    ["flows", "list"],
    ["flows", "count"],
  ];
  if (kind.startsWith("node.")) return [["flows", "list"]];
  if (!kind.startsWith("flow.")) return [];
  return type === "flow" && id ? [...lists, ["flows", id], ["flows", "name", id]] : [["flows"]];
}
