import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

type Schemas = components["schemas"];
export type Report = Schemas["ExternalReport"];
export type Leg = Schemas["CheckerLeg"];
export type Preview = Schemas["ExternalPreview"];
export type Budget = Schemas["ExternalBudget"];
export type ExternalSummary = Schemas["ExternalSummary"];
export type Checked = Schemas["ExternalChecked"];
export type Schedule = Schemas["ExternalSchedule"];
export type Target = Schemas["ExternalTarget"];
export type Plan = Schemas["ExternalPlan"];

/** A check tells of its end by an event; this is for one that was missed. */
const pace = 15_000;
const key = ["health", "external"];

export const externalSummaryQuery = queryOptions({
  queryKey: [...key, "summary"],
  queryFn: ({ signal }) => answer(api.GET("/api/v1/health/bscheck/summary", { signal })),
  refetchInterval: pace,
});

export const checkedQuery = infiniteQueryOptions({
  queryKey: [...key, "flows"],
  queryFn: ({ pageParam, signal }) =>
    answer(
      api.GET("/api/v1/health/bscheck/flows", {
        params: { query: { sort: "name", limit: 50, ...(pageParam ? { cursor: pageParam } : {}) } },
        signal,
      }),
    ),
  initialPageParam: "",
  getNextPageParam: (page) => page.next_cursor ?? undefined,
  select: ({ pages }) => ({ items: pages.flatMap((page) => page.items), total: pages.at(-1)?.total ?? 0 }),
  placeholderData: keepPreviousData,
  refetchInterval: pace,
});

export const reportsQuery = (id: string) =>
  queryOptions({
    queryKey: [...key, "reports", id],
    queryFn: async ({ signal }): Promise<Report[]> => {
      const params = { path: { id } };
      return (await answer(api.GET("/api/v1/health/connection-units/{id}/bscheck-reports", { params, signal }))).items;
    },
    refetchInterval: pace,
  });

export const schedulesQuery = queryOptions({
  queryKey: [...key, "schedules"],
  queryFn: async ({ signal }): Promise<Schedule[]> =>
    (await answer(api.GET("/api/v1/health/bscheck/schedules", { params: { query: { limit: 200 } }, signal }))).items,
});

/** The nodes of a flow, with the address that is looked at on each. */
export const targetsQuery = (id: string) =>
  queryOptions({
    queryKey: [...key, "targets", id],
    queryFn: async ({ signal }): Promise<Target[]> => {
      const params = { path: { id } };
      return (await answer(api.GET("/api/v1/health/connection-units/{id}/bscheck-targets", { params, signal }))).items;
    },
    enabled: id !== "",
  });

export const previewQuery = (id: string, nodeId: string | undefined) =>
  queryOptions({
    queryKey: [...key, "preview", id, nodeId],
    queryFn: ({ signal }): Promise<Preview> =>
      answer(
        api.POST("/api/v1/health/connection-units/{id}/bscheck-checks/preview", {
          params: { path: { id } },
          body: nodeId ? { node_id: nodeId } : {},
          signal,
        }),
      ),
    gcTime: 0,
    retry: false,
  });

interface Start {
  id: string;
  nodeId: string;
  price: number;
  /** Lets the panel begin it once, however often the request is sent. */
  requestKey: string;
}

export function useStartCheck() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, nodeId, price, requestKey }: Start) =>
      answer(
        api.POST("/api/v1/health/connection-units/{id}/bscheck-checks", {
          params: { path: { id }, header: { "Idempotency-Key": requestKey } },
          body: { node_id: nodeId, max_price: price },
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
}

export function useCancelCheck(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (report: string) =>
      answer(
        api.POST("/api/v1/health/connection-units/{id}/bscheck-checks/{report_id}/cancel", {
          params: { path: { id, report_id: report } },
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
}

interface SavedPlan {
  /** Left out for a new one. */
  schedule: Schedule | undefined;
  plan: Plan;
}

export function useSaveSchedule() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ schedule, plan }: SavedPlan) =>
      schedule
        ? answer(
            api.PUT("/api/v1/health/bscheck/schedules/{id}", {
              params: { path: { id: schedule.id } },
              body: { revision: schedule.revision, ...plan },
            }),
          )
        : answer(api.POST("/api/v1/health/bscheck/schedules", { body: plan })),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
}

export function useRemoveSchedule() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      answer(api.DELETE("/api/v1/health/bscheck/schedules/{id}", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
}
