import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { barsOf, type Bars } from "./days";

type Schemas = components["schemas"];
export type Subject = Schemas["ViewSubject"];
export type SubjectDetail = Schemas["ViewSubjectDetail"];
export type CheckCell = Schemas["ViewCheckCell"];
export type Evidence = Schemas["ViewEvidence"];
export type Vantage = Schemas["ViewVantage"];
export type Change = Schemas["ViewChange"];
export type History = Schemas["ViewHistory"];
export type Summary = Schemas["ViewSummary"];
export type Counts = Schemas["ViewCounts"];
export type Started = Schemas["HealthStarted"];
export type State = Subject["state"];
export type Check = CheckCell["check"];

/** What is watched, as the addresses of the API and of pages name it. */
export type Kind = "nodes" | "flows";

export interface ListFilter {
  q?: string | undefined;
  state?: State | "not_up" | undefined;
  sort?: string | undefined;
}

/** So many days does a history of bars have. */
export const daysShown = 90;
const pageSize = 100;

/** Evidence comes by no event of its own. */
const pace = 15_000;

export const summaryQuery = queryOptions({
  queryKey: ["health", "summary"],
  queryFn: ({ signal }) => answer(api.GET("/api/v1/health/summary", { signal })),
  refetchInterval: pace,
});

/** A subject as a list keeps it. */
export type Row = Omit<Subject, "days"> & { bars: Bars };

/** The rows that were read so far, and how many there are. */
export interface Listed {
  items: Row[];
  total: number;
}

const rowOf = ({ days, ...subject }: Subject): Row => ({ ...subject, bars: barsOf(days) });

async function readPage(kind: Kind, query: object, signal: AbortSignal) {
  const page = await answer(
    kind === "nodes"
      ? api.GET("/api/v1/health/nodes", { params: { query }, signal })
      : api.GET("/api/v1/health/connection-units", { params: { query }, signal }),
  );
  return { ...page, items: page.items.map(rowOf) };
}

/** More pages than this are not read anew by the clock: who has scrolled so far is told of changes by events. */
const mostPolled = 3;

export const subjectsQuery = (kind: Kind, filter: ListFilter) =>
  infiniteQueryOptions({
    queryKey: ["health", kind, "list", filter],
    queryFn: ({ pageParam, signal }) =>
      readPage(
        kind,
        { ...filter, days: daysShown, limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }): Listed => ({
      items: pages.flatMap((page) => page.items),
      total: pages.at(-1)?.total ?? 0,
    }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= mostPolled ? pace : false),
  });

export const subjectQuery = (kind: Kind, id: string) =>
  queryOptions({
    queryKey: ["health", kind, "one", id],
    queryFn: ({ signal }): Promise<SubjectDetail> => {
      const params = { path: { id }, query: { days: daysShown } };
      return kind === "nodes"
        ? answer(api.GET("/api/v1/health/nodes/{id}", { params, signal }))
        : answer(api.GET("/api/v1/health/connection-units/{id}", { params, signal }));
    },
    refetchInterval: pace,
  });

export interface Named {
  id: string;
  name: string;
}

/** What a field offers for what was typed. Nodes and flows health knows itself; of pools one needs to see pools. */
export const namedQuery = (kind: "node" | "connection_unit" | "pool", q: string) =>
  queryOptions({
    queryKey: ["health", "named", kind, q],
    queryFn: async ({ signal }): Promise<Named[]> => {
      const params = { query: { limit: 20, sort: "name" as const, ...(q && { q }) } };
      switch (kind) {
        case "pool":
          return (await answer(api.GET("/api/v1/transit-pools", { params, signal }))).items;
        case "node":
          return (await answer(api.GET("/api/v1/health/nodes", { params, signal }))).items;
        case "connection_unit":
          return (await answer(api.GET("/api/v1/health/connection-units", { params, signal }))).items;
      }
    },
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });

/** So many days have the bars in a list of another screen. */
const daysBeside = 30;
const mostIds = 200;

/** The bars of some flows, all at once. */
export const flowBarsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ["health", "flows", "bars", ...ids],
    queryFn: async ({ signal }): Promise<Map<string, Bars>> => {
      const parts = Array.from({ length: Math.ceil(ids.length / mostIds) }, (_, at) =>
        ids.slice(at * mostIds, (at + 1) * mostIds),
      );
      const pages = await Promise.all(
        parts.map((part) =>
          readPage("flows", { ids: part.join(","), days: daysBeside, limit: mostIds, sort: "name" }, signal),
        ),
      );
      return new Map(pages.flatMap(({ items }) => items.map(({ id, bars }) => [id, bars] as const)));
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

export const historyQuery = (kind: Kind, id: string, from: string, to: string) =>
  queryOptions({
    queryKey: ["health", kind, "history", id, from, to],
    queryFn: ({ signal }): Promise<History> => {
      const params = { path: { id }, query: { from, to } };
      return kind === "nodes"
        ? answer(api.GET("/api/v1/health/nodes/{id}/history", { params, signal }))
        : answer(api.GET("/api/v1/health/connection-units/{id}/history", { params, signal }));
    },
    placeholderData: keepPreviousData,
  });

/** Asks those who look at it to look now; what they find comes by itself. */
export function useLookNow(kind: Kind, id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (): Promise<Started> =>
      answer(
        api.POST("/api/v1/health/checks/run", {
          body: kind === "nodes" ? { node_ids: [id] } : { connection_unit_ids: [id] },
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ["health"] }),
  });
}
