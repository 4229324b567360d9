import type { QueryKey } from "@tanstack/react-query";
import type { LiveEvent } from "@/api/stream";

const ofFleet = ["list", "cells", "summary", "count", "of-flows", "state-changes"];
const ofNode = ["one", "metrics", "operation", "domains"];

/** What news of one node makes stale: lists and sums of the fleet, and of single nodes only that one. */
export function staleNodes({ kind, subject_type: type, subject_id: id }: LiveEvent): QueryKey[] {
  if (kind.startsWith("domain."))
    return [
      ["nodes", "domains"],
      ["nodes", "domains-of-flows"],
    ];
  if (!kind.startsWith("node.")) return [];
  if (type !== "node" || !id) return [["nodes"]];
  return [...ofFleet.map((part) => ["nodes", part]), ...ofNode.map((part) => ["nodes", part, id])];
}
