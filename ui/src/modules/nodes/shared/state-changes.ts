import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

/** A node that went from one state to another. */
export type StateChange = components["schemas"]["FiguresStateChange"];
export type StateChanges = components["schemas"]["FiguresStateChanges"];

const most = 100;

/** How nodes changed their states, the newest first: of one node, or of the whole fleet. */
export const stateChangesQuery = (query: { node_id?: string; from: string; to: string }) =>
  queryOptions({
    queryKey: ["nodes", "state-changes", query],
    queryFn: ({ signal }): Promise<StateChanges> =>
      answer(api.GET("/api/v1/nodes/state-changes", { params: { query: { ...query, limit: most } }, signal })),
    staleTime: 30_000,
  });
