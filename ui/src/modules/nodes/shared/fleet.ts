import { keepPreviousData, queryOptions, skipToken, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { createStore, useStore } from "zustand";
import { answer, api } from "@/api/client";
import type { Counted } from "@/api/figures";
import type { Metric, NodeState, Series } from "./types";

export interface City {
  country_code: string;
  city: string;
  total: number;
  states: Partial<Record<NodeState, number>>;
}

/** Nodes that fail for one cause since about the same time. */
export interface Incident {
  cause: string;
  state: "offline" | "degraded";
  since: string;
  until: string;
  nodes: number;
  first: Named[];
  /** Of the nodes, at most 500. */
  ids: string[];
  /** Flows that are installed there; null when they could not be asked for. */
  flows: number | null;
  first_flows: Named[];
}

export interface Named {
  id: string;
  name: string;
}

/** Sums over the whole fleet, made by the panel. */
export interface NodeSummary extends Counted {
  at: string;
  stale_after_s: number;
  states: Partial<Record<NodeState, number>>;
  drift: number;
  regions: (Counted & { region: string; cities: City[] })[];
  agents: { version: string; nodes: number }[];
  countries: { code: string; nodes: number }[];
  tags: { tag: string; nodes: number }[];
  attention: Incident[];
  attention_nodes: number;
}

export const summaryQuery = queryOptions({
  queryKey: ["nodes", "summary"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/v1/nodes/summary", { signal }))) as NodeSummary,
});

/** One node of the picture of the fleet: id, name, state, region, load. */
export type FleetCell = [id: string, name: string, state: NodeState, region: string, cpu: number | null];

export const cellsQuery = queryOptions({
  queryKey: ["nodes", "cells"],
  queryFn: async ({ signal }) =>
    (await answer(api.GET("/api/v1/nodes/cells", { signal }))) as unknown as { total: number; cells: FleetCell[] },
});

export type FleetMetric =
  Extract<Metric, "net_tx_bps" | "net_rx_bps" | "cpu_pct"> | "sessions" | "online" | "offline" | "degraded";

/** One figure of the whole fleet over time. */
export const fleetMetricQuery = (metric: FleetMetric, from: string, to: string) =>
  queryOptions({
    queryKey: ["nodes", "fleet-metrics", metric, from, to],
    queryFn: ({ signal }): Promise<Series> =>
      answer(api.GET("/api/v1/nodes/metrics", { params: { query: { metric, from, to } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

type Points = readonly (number | null)[];

const mostAtOnce = 64;
const sparkAge = 10 * 60_000;

/** The last day of each node that was asked for, and when; each row of a list reads its own. */
const sparks = createStore<ReadonlyMap<string, { points: Points; at: number }>>(() => new Map());

/** Asks for the last day of the nodes that are drawn, in few calls; each cell then finds its own. */
export function useSparks(ids: readonly string[]): void {
  const known = sparks.getState();
  const missing = ids.filter((id) => (known.get(id)?.at ?? 0) < Date.now() - sparkAge).slice(0, mostAtOnce);
  const found = useQuery({
    queryKey: ["nodes", "sparks", ...missing],
    queryFn: missing.length === 0 ? skipToken : ({ signal }) => readSparks(missing, signal),
    gcTime: 0,
    retry: false,
  }).data;
  useEffect(() => {
    if (!found) return;
    const at = Date.now();
    sparks.setState(
      new Map([...sparks.getState(), ...[...found].map(([id, points]) => [id, { points, at }] as const)]),
      true,
    );
  }, [found]);
}

async function readSparks(ids: readonly string[], signal: AbortSignal): Promise<Map<string, Points>> {
  const query = { ids: ids.join(), metric: "net_tx_bps" as const };
  const { items } = await answer(api.GET("/api/v1/nodes/sparks", { params: { query }, signal }));
  const known = new Map((items ?? []).map((item) => [item.id, item.points as Points]));
  return new Map(ids.map((id) => [id, known.get(id) ?? []]));
}

/** The last day of one node; undefined until it was asked for. */
export function useSpark(id: string): Points | undefined {
  return useStore(sparks, (state) => state.get(id)?.points);
}
