import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { RepairAction } from "../repairs/api";

type Schemas = components["schemas"];
export type Incident = Schemas["IncidentsIncident"];
/** An incident with what self-repair did about it. */
export type IncidentDetail = Omit<Schemas["RepairDetail"], "actions"> & { actions: RepairAction[] };
export type Sufferer = Schemas["IncidentsSufferer"];
export type Witness = Schemas["IncidentsWitness"];
export type IncidentEntry = Schemas["IncidentsEntry"];

export interface IncidentFilter {
  state?: Incident["state"] | "unresolved" | undefined;
  severity?: Incident["severity"] | undefined;
  subject_id?: string | undefined;
  sort?: string | undefined;
}

export const incidentsQuery = (filter: IncidentFilter) =>
  infiniteQueryOptions({
    queryKey: ["health", "incidents", "list", filter],
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET("/api/v1/health/incidents", {
          params: { query: { limit: 50, ...filter, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }) => ({ items: pages.flatMap((page) => page.items), total: pages.at(-1)?.total ?? 0 }),
    placeholderData: keepPreviousData,
  });

/** What is wrong now, the worst first, with the ids of who suffers: of everything, or of one node or flow. */
export const unresolvedQuery = (subjectId?: string) =>
  queryOptions({
    queryKey: ["health", "incidents", "unresolved", subjectId ?? ""],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/health/incidents", {
          params: {
            query: {
              state: "unresolved",
              sort: "-severity",
              limit: 50,
              suffering_ids: true,
              ...(subjectId && { subject_id: subjectId }),
            },
          },
          signal,
        }),
      ),
  });

export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: ["health", "incidents", "one", id],
    queryFn: async ({ signal }) =>
      (await answer(api.GET("/api/v1/health/incidents/{id}", { params: { path: { id } }, signal }))) as IncidentDetail,
  });

/** What a person does about an incident. */
export type Act = "ack" | "resolve";

export function useIncidentAct(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ act, note }: { act: Act; note: string }) => {
      const request = { params: { path: { id } }, body: note ? { note } : {} };
      return act === "ack"
        ? answer(api.POST("/api/v1/health/incidents/{id}/ack", request))
        : answer(api.POST("/api/v1/health/incidents/{id}/resolve", request));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["health"] }),
  });
}
