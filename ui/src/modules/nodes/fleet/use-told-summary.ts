import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useFrame } from "@/api/figures";
import { summaryQuery, type NodeSummary } from "../shared/fleet";

/** How many nodes fail, in one text. */
function failing({ degraded = 0, offline = 0 }: NodeSummary["states"]): string {
  return `${degraded} ${offline}`;
}

/**
 * The sums of the fleet. They are read again by news of nodes; where a frame of figures counts other failures the news
 * is late, and they are read again by that: the page must not be calm beside a count of failures.
 */
export function useToldSummary(): NodeSummary | undefined {
  const queries = useQueryClient();
  const summary = useQuery(summaryQuery).data;
  const told = useFrame(({ fleet }) => fleet && failing(fleet.states));
  const known = summary && failing(summary.states);
  useEffect(() => {
    if (told !== undefined && known !== undefined && told !== known)
      void queries.invalidateQueries({ queryKey: summaryQuery.queryKey });
  }, [queries, told, known]);
  return summary;
}
