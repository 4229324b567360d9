import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { CheckCell } from "../shared/api";

type Schemas = components["schemas"];
export type Repair = Schemas["RulesRepair"];
export type RepairAct = Schemas["RepairAction"]["action"];
export type DryRun = Schemas["RepairDryRun"];
export type Evidence = Omit<Schemas["RepairEvidence"], "checks"> & { checks: CheckCell[] };

/** What self-repair did, would have done, or proposes. */
export type RepairAction = Omit<Schemas["RepairAction"], "evidence"> & { evidence: Evidence };

export interface RepairFilter {
  state?: RepairAction["state"] | "open" | undefined;
  node_id?: string | undefined;
}

const key = ["health", "repairs"] as const;

/** What is under way ends within moments, and says so by an event; this is for a connection that lost it. */
const pace = 5_000;
const moves = ({ state }: RepairAction) => state === "approved" || state === "running";

async function readPage(query: RepairFilter & { limit: number; cursor?: string }, signal: AbortSignal) {
  const page = await answer(api.GET("/api/v1/health/self-heal/actions", { params: { query }, signal }));
  return { ...page, items: page.items as RepairAction[] };
}

export const repairsQuery = (filter: RepairFilter) =>
  infiniteQueryOptions({
    queryKey: [...key, "list", filter],
    queryFn: ({ pageParam, signal }) =>
      readPage({ ...filter, limit: 50, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }) => ({ items: pages.flatMap((page) => page.items), total: pages.at(-1)?.total ?? 0 }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(moves)) ? pace : false),
  });

const latest = 5;

/** The last that was done about one node. */
export const repairsOfQuery = (nodeId: string) =>
  queryOptions({
    queryKey: [...key, "of", nodeId],
    queryFn: ({ signal }) => readPage({ node_id: nodeId, limit: latest }, signal),
    refetchInterval: ({ state }) => (state.data?.items.some(moves) ? pace : false),
  });

/** What waits for a person. */
export const proposedQuery = queryOptions({
  queryKey: [...key, "proposed"],
  queryFn: ({ signal }) => readPage({ state: "proposed", limit: 50 }, signal),
});

/** What would have been done in the last week by itself: to the nodes of one policy, or to all. */
export const dryRunQuery = (policyId: string | undefined, { actions, limits }: Pick<Repair, "actions" | "limits">) =>
  queryOptions({
    queryKey: [...key, "dry-run", policyId ?? "", actions, limits],
    queryFn: ({ signal }): Promise<DryRun> => {
      const query = { ...limits, ...(policyId && { policy_id: policyId }), actions };
      const querySerializer = { array: { style: "form", explode: false } } as const;
      return answer(api.GET("/api/v1/health/self-heal/dry-run", { params: { query }, querySerializer, signal }));
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** What a person does about an action. */
export type Act = "approve" | "dismiss" | "undo";

export function useRepairAct(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (act: Act) => {
      const request = { params: { path: { id } } };
      return answer(api.POST(`/api/v1/health/self-heal/actions/{id}/${act}`, request));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["health"] }),
  });
}
