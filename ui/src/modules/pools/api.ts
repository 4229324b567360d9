import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { everyPage } from "@/components/table/every-page";

type Schemas = components["schemas"];
export type Summary = Schemas["PoolsPoolSummary"];
export type Member = Omit<Schemas["PoolsMember"], "health"> & { health: Schemas["PoolsMemberHealth"] | null };
export type Pool = Omit<Schemas["PoolsPool"], "override" | "last_switch" | "members"> & {
  members: Member[];
  override: Schemas["PoolsOverride"] | null;
  last_switch: Schemas["PoolsSwitch"] | null;
};
export type Status = Omit<Schemas["PoolsStatus"], "members"> & { members: Member[] };
export type Switch = Schemas["PoolsSwitch"];
export type NewPool = Schemas["PoolsNewPool"];
export type NewMember = Schemas["PoolsNewMember"];

/** The rows that were read so far, and how many there are. */
export interface Listed {
  items: Summary[];
  total: number;
}

const pageSize = 50;

export const poolsQuery = (sort: string) =>
  infiniteQueryOptions({
    queryKey: ["pools", "list", sort],
    queryFn: ({ pageParam, signal }): Promise<Schemas["PoolsPoolSummaryPage"]> =>
      answer(
        api.GET("/api/v1/transit-pools", {
          params: { query: { sort, limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }): Listed => ({
      items: pages.flatMap((page) => page.items),
      total: pages.at(-1)?.total ?? 0,
    }),
    placeholderData: keepPreviousData,
  });

/** The first pools whose fallback carries traffic, or that have too few usable members. */
export const belowMinimumQuery = queryOptions({
  queryKey: ["pools", "below-minimum"],
  queryFn: ({ signal }) =>
    answer(api.GET("/api/v1/transit-pools", { params: { query: { below_minimum: true, limit: pageSize } }, signal })),
});

/** Pools for the choice of a fallback. */
export const poolNamesQuery = queryOptions({
  queryKey: ["pools", "names", "every"],
  queryFn: ({ signal }) =>
    everyPage((cursor) =>
      answer(
        api.GET("/api/v1/transit-pools", {
          params: { query: { limit: 200, sort: "name", ...(cursor && { cursor }) } },
          signal,
        }),
      ),
    ),
});

export const poolQuery = (id: string) =>
  queryOptions({
    queryKey: ["pools", "one", id],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/transit-pools/{id}", { params: { path: { id } }, signal })) as Promise<Pool>,
  });

export const statusQuery = (id: string) =>
  queryOptions({
    queryKey: ["pools", "status", id],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/transit-pools/{id}/status", { params: { path: { id } }, signal })),
    refetchInterval: 15_000,
  });

/** The nodes that a picker offers for what was typed; the panel searches, whatever the size of the fleet. */
export const foundNodesQuery = (q: string) =>
  queryOptions({
    queryKey: ["nodes", "for-pools", q],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/nodes", { params: { query: { limit: 20, sort: "name", ...(q && { q }) } }, signal })),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });

/** The flows that a picker offers for what was typed. */
export const foundFlowsQuery = (q: string) =>
  queryOptions({
    queryKey: ["flows", "for-pools", q],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/connection-units", {
          params: { query: { limit: 20, sort: "name", ...(q && { q }) } },
          signal,
        }),
      ),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });

/** What was done makes stale whatever is known of pools, also after a refusal. */
function useAct<Variables, Result>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: () => queries.invalidateQueries({ queryKey: ["pools"] }),
  });
}

/** Makes a pool; the key lets the panel do it once, however often the request is sent. */
export function useMakePool() {
  return useAct(({ key, body }: { key: string; body: NewPool }) =>
    answer(api.POST("/api/v1/transit-pools", { params: { header: { "Idempotency-Key": key } }, body })),
  );
}

export function useChangePool() {
  return useAct(({ id, body }: { id: string; body: Schemas["PoolsPoolChange"] }) =>
    answer(api.PATCH("/api/v1/transit-pools/{id}", { params: { path: { id } }, body })),
  );
}

export function useRemovePool() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/transit-pools/{id}", { params: { path: { id } } })));
}

export const override = (id: string, body: Schemas["PoolsNewOverride"]) =>
  answer(api.POST("/api/v1/transit-pools/{id}/override", { params: { path: { id } }, body }));

export const drain = (id: string, mid: string, on: boolean) =>
  answer(
    api.POST("/api/v1/transit-pools/{id}/members/{mid}/drain", {
      params: { path: { id, mid } },
      body: { drain: on },
    }),
  );
