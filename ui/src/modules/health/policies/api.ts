import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { Policy } from "../shared/policies";

type Schemas = components["schemas"];
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
  | "repair"
  | "maintenance_windows"
>;

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
    mutationFn: ({ policy, entry, key }: Saved) => {
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
