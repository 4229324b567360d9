import { infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

type Schemas = components["schemas"];
export type Policy = Schemas["HealthPolicy"];
export type PolicyCheck = Schemas["RulesCheck"];
export type Scope = Schemas["RulesScope"];
export type Window = Schemas["RulesWindow"];

/** What a person sets of a policy. */
export type PolicyEntry = Pick<
  Policy,
  | "name"
  | "enabled"
  | "scope"
  | "checks"
  | "vantages"
  | "quorum"
  | "failure_threshold"
  | "success_threshold"
  | "recheck"
  | "flap"
  | "maintenance_windows"
>;

export const policiesQuery = infiniteQueryOptions({
  queryKey: ["health", "policies"],
  queryFn: ({ pageParam, signal }): Promise<Schemas["HealthPolicyPage"]> =>
    answer(
      api.GET("/api/v1/health/policies", {
        params: { query: { sort: "name", limit: 50, ...(pageParam ? { cursor: pageParam } : {}) } },
        signal,
      }),
    ),
  initialPageParam: "",
  getNextPageParam: (page) => page.next_cursor ?? undefined,
  select: ({ pages }) => ({ items: pages.flatMap((page) => page.items), total: pages.at(-1)?.total ?? 0 }),
});

interface Saved {
  /** Left out for a new one. */
  policy: Policy | undefined;
  entry: PolicyEntry;
  /** Lets the panel make it once, however often the request is sent. */
  key: string;
}

export function useSavePolicy() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ policy, entry, key }: Saved): Promise<Policy> => {
      if (!policy) {
        const params = { header: { "Idempotency-Key": key } };
        return answer(api.POST("/api/v1/health/policies", { params, body: entry }));
      }
      const { scope, enabled, ...rest } = entry;
      const body = { revision: policy.revision, ...rest, ...(policy.default ? {} : { scope, enabled }) };
      return answer(api.PATCH("/api/v1/health/policies/{id}", { params: { path: { id: policy.id } }, body }));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["health"] }),
  });
}

export function useRemovePolicy() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(api.DELETE("/api/v1/health/policies/{id}", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["health"] }),
  });
}
