import { useQueries } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { loadsQuery, type Flow, type FlowLoad } from "../shared/api";
import { serves } from "../shared/states";

/** Neighbours of a row in sight are asked for with it, so that scrolling by a row asks for nothing. */
const atOnce = 50;

export type FlowLoads = ReadonlyMap<string, FlowLoad>;

/** What the flows in sight carry now, by their ids, and what learns which rows those are. */
export function useFlowLoads(rows: readonly Flow[]): { loads: FlowLoads; onDrawn: (ids: readonly string[]) => void } {
  const [drawn, setDrawn] = useState<readonly string[]>([]);
  const ids = rows.filter(serves).map(({ id }) => id);
  const parts = new Set(drawn.map((id) => Math.floor(ids.indexOf(id) / atOnce)).filter((part) => part >= 0));
  const loads = useQueries({
    queries: [...parts].map((part) => loadsQuery(ids.slice(part * atOnce, (part + 1) * atOnce))),
    combine: useCallback(
      (answers: { data?: FlowLoad[] }[]): FlowLoads =>
        new Map(answers.flatMap(({ data }) => data ?? []).map((load) => [load.id, load])),
      [],
    ),
  });
  return { loads, onDrawn: setDrawn };
}
