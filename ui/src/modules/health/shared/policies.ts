import { infiniteQueryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { Repair } from "../repairs/api";

/** A policy; the panel always says how far self-repair goes. */
export type Policy = Omit<components["schemas"]["HealthPolicy"], "repair"> & { repair: Repair };

export const policiesQuery = infiniteQueryOptions({
  queryKey: ["health", "policies"],
  queryFn: ({ pageParam, signal }) =>
    answer(
      api.GET("/api/v1/health/policies", {
        params: { query: { sort: "name", limit: 50, ...(pageParam ? { cursor: pageParam } : {}) } },
        signal,
      }),
    ),
  initialPageParam: "",
  getNextPageParam: (page) => page.next_cursor ?? undefined,
  select: ({ pages }) => ({ items: pages.flatMap((page) => page.items as Policy[]), total: pages.at(-1)?.total ?? 0 }),
});
