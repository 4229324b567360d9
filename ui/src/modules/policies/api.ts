import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { everyPage } from "@/components/table/every-page";

type Schemas = components["schemas"];
export type Policy = Schemas["PoliciesPolicy"];
export type Rule = Policy["rules"][number];
export type Catalogue = Schemas["PoliciesCatalogue"];
export type CatalogueSet = Catalogue["sets"][number];
export type Preset = Catalogue["presets"][number];
export type Outdated = Schemas["PoliciesOutdated"];
export type CustomPlan = Schemas["PoliciesCustomPlan"];
export type PlanVersion = CustomPlan["versions"][number];
export type PlanBody = PlanVersion["body"];
export type NewPlanBody = Schemas["PoliciesNewPlanBody"];

const page = (cursor: string | undefined, limit = 50) => ({
  query: { limit, sort: "name", ...(cursor && { cursor }) },
});

/** The rows that were read so far, and how many there are. */
export interface Listed<Row> {
  items: Row[];
  total: number;
}

interface Page<Row> extends Listed<Row> {
  next_cursor: string | null;
}

const listed = <Row>({ pages }: { pages: Page<Row>[] }): Listed<Row> => ({
  items: pages.flatMap(({ items }) => items),
  total: pages.at(-1)?.total ?? 0,
});

export const policiesQuery = infiniteQueryOptions({
  queryKey: ["policies", "list"],
  queryFn: ({ pageParam, signal }): Promise<Page<Policy>> =>
    answer(api.GET("/api/v1/policies", { params: page(pageParam), signal })),
  initialPageParam: "",
  getNextPageParam: (last) => last.next_cursor ?? undefined,
  select: listed<Policy>,
});

/** All policies, for the choice of one. */
export const everyPolicyQuery = queryOptions({
  queryKey: ["policies", "every"],
  queryFn: ({ signal }) =>
    everyPage((cursor) => answer(api.GET("/api/v1/policies", { params: page(cursor, 200), signal }))),
});

export const catalogueQuery = queryOptions({
  queryKey: ["policies", "catalogue"],
  queryFn: ({ signal }) => answer(api.GET("/api/v1/policy-catalogue", { signal })),
});

export const outdatedQuery = queryOptions({
  queryKey: ["policies", "outdated"],
  queryFn: ({ signal }) => answer(api.GET("/api/v1/policy-catalogue/outdated", { signal })),
});

export const plansQuery = infiniteQueryOptions({
  queryKey: ["policies", "plans", "list"],
  queryFn: ({ pageParam, signal }): Promise<Page<CustomPlan>> =>
    answer(api.GET("/api/v1/custom-plans", { params: page(pageParam), signal })),
  initialPageParam: "",
  getNextPageParam: (last) => last.next_cursor ?? undefined,
  select: listed<CustomPlan>,
});

/** The flows that a picker offers for what was typed; the panel searches, however many there are. */
export const foundFlowsQuery = (q: string) =>
  queryOptions({
    queryKey: ["flows", "for-policies", q],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/connection-units", { params: { query: { limit: 20, ...(q && { q }) } }, signal })),
    staleTime: 30_000,
  });

/** What was done makes stale whatever is known of policies, also after a refusal. */
function useAct<Variables, Result>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: act, onSettled: () => queries.invalidateQueries({ queryKey: ["policies"] }) });
}

/** What a policy shall be, with the flows that obey it. */
export interface PolicyEntry {
  name: string;
  kind: Policy["kind"];
  rules: Rule[];
  allowed_protocols: string[];
  flows: string[];
}

interface SavePolicy {
  /** As it stands; left out for a new one. */
  policy: Policy | undefined;
  entry: PolicyEntry;
  /** The policy is saved, its flows are not yet: a further try goes on from here. */
  onSaved: (policy: Policy) => void;
}

/** Makes a policy or changes one, then says which flows obey it. */
export function useSavePolicy() {
  return useAct(async ({ policy, entry, onSaved }: SavePolicy) => {
    const { name, kind, rules, allowed_protocols } = entry;
    const saved = policy
      ? await answer(
          api.PATCH("/api/v1/policies/{id}", {
            params: { path: { id: policy.id } },
            body: { revision: policy.revision, name, rules, allowed_protocols },
          }),
        )
      : await answer(api.POST("/api/v1/policies", { body: { name, kind, rules, allowed_protocols } }));
    onSaved(saved);
    const before = saved.used_by.map((flow) => flow.flow_id).sort();
    if (JSON.stringify(before) === JSON.stringify([...entry.flows].sort())) return saved;
    return answer(
      api.PUT("/api/v1/policies/{id}/flows", {
        params: { path: { id: saved.id } },
        body: { revision: saved.revision, flow_ids: entry.flows },
      }),
    );
  });
}

export function useRemovePolicy() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/policies/{id}", { params: { path: { id } } })));
}

export function useSaveCatalogue() {
  return useAct((body: Schemas["PoliciesNewCatalogue"]) => answer(api.PUT("/api/v1/policy-catalogue", { body })));
}

/** Makes a custom plan, or a new version of one. */
export function useSavePlan() {
  return useAct(({ plan, name, body }: { plan: CustomPlan | undefined; name: string; body: NewPlanBody }) =>
    plan
      ? answer(
          api.POST("/api/v1/custom-plans/{id}/versions", {
            params: { path: { id: plan.id } },
            body: { revision: plan.versions[0]?.number ?? 0, body },
          }),
        )
      : answer(api.POST("/api/v1/custom-plans", { body: { name, body } })),
  );
}

export function useRemovePlan() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/custom-plans/{id}", { params: { path: { id } } })));
}

export function useEnable() {
  return useAct(
    ({ plan, number, policy, enabled }: { plan: string; number: number; policy: string; enabled: boolean }) =>
      answer(
        api.POST("/api/v1/custom-plans/{id}/versions/{v}/enable", {
          params: { path: { id: plan, v: String(number) } },
          body: { policy_id: policy, enabled },
        }),
      ),
  );
}

/** Compiles the draft of a flow into a plan. */
export const compilePlan = (id: string) =>
  answer(api.POST("/api/v1/connection-units/{id}/plan/compile", { params: { path: { id } } }));
