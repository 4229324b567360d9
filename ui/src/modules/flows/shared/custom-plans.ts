import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { everyPage } from "@/components/table/every-page";

/** What drawings take from policies: versions of custom plans, and sets of the catalogue. */

type Schemas = components["schemas"];
export type CustomPlan = Schemas["PoliciesCustomPlan"];
export type PlanVersion = CustomPlan["versions"][number];

/** A version with the plan that it is of. */
export interface Chosen {
  plan: CustomPlan;
  version: PlanVersion;
}

const customPlansQuery = queryOptions({
  queryKey: ["policies", "plans", "every"],
  queryFn: ({ signal }) =>
    everyPage((cursor) =>
      answer(
        api.GET("/api/v1/custom-plans", {
          params: { query: { limit: 200, sort: "name", ...(cursor && { cursor }) } },
          signal,
        }),
      ),
    ),
});

/** All custom plans by their names, where they are asked for. */
export function useCustomPlans(wanted: boolean): CustomPlan[] | undefined {
  return useQuery({ ...customPlansQuery, enabled: wanted }).data;
}

const policiesOfQuery = (flowId: string) =>
  queryOptions({
    queryKey: ["policies", "of", flowId],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/policies", { params: { query: { flow_id: flowId, limit: 200 } }, signal })),
  });

/** Ids of the policies that a flow obeys; undefined while nobody knows. */
export function usePoliciesOf(flowId: string): ReadonlySet<string> | undefined {
  const policies = useQuery(policiesOfQuery(flowId)).data?.items;
  return policies && new Set(policies.map(({ id }) => id));
}

/** The sets of the newest catalogue. */
export const catalogueQuery = queryOptions({
  queryKey: ["policies", "catalogue"],
  queryFn: ({ signal }) => answer(api.GET("/api/v1/policy-catalogue", { signal })),
});

export function findVersion(plans: readonly CustomPlan[] = [], id: string | null | undefined): Chosen | undefined {
  for (const plan of plans) for (const version of plan.versions) if (version.id === id) return { plan, version };
  return undefined;
}

/** "Upstream v2". */
export const versionName = ({ plan, version }: Chosen) => `${plan.name} v${version.number}`;

/** Whether one of these policies lets its flows use the version. */
export const isEnabled = (version: PlanVersion, policies: ReadonlySet<string>) =>
  version.enabled_in_policies.some(({ id }) => policies.has(id));

/** What a version does with traffic, in a few words. */
export function usePlanWay(): (body: PlanVersion["body"]) => string {
  const { t } = useTranslation("flows");
  return ({ way, address = "", port, family, fragment }) => {
    const proxy = `${address.includes(":") ? `[${address}]` : address}:${port}`;
    const only = family && family !== "any" && t(`planWay.${family}`);
    return [t(`planWay.${way}`, { proxy }), only, fragment && t("planWay.split")].filter(Boolean).join(", ");
  };
}
