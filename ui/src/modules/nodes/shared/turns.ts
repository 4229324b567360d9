import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

/** A node that went from one state to another. */
export type Turn = components["schemas"]["FiguresTurn"];
export type Turns = components["schemas"]["FiguresTurns"];

const most = 100;

/** How nodes changed their states, the newest first: of one node, or of the whole fleet. */
export const turnsQuery = (query: { node_id?: string; from: string; to: string }) =>
  queryOptions({
    queryKey: ["nodes", "turns", query],
    queryFn: ({ signal }): Promise<Turns> =>
      answer(api.GET("/api/v1/nodes/turns", { params: { query: { ...query, limit: most } }, signal })),
    staleTime: 30_000,
  });
