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
export type Search = Schemas["TargetsSearch"];
export type Result = Schemas["TargetsResult"];
export type Reason = Schemas["VerdictReason"];
export type NewSearch = Schemas["TargetsNewSearch"];
export type NewCheck = Schemas["TargetsNewCheck"];
export type Mode = NewSearch["mode"];
export type Suitability = Result["suitability"];

/** The rows that were read so far, and how many there are. */
export interface Listed<Row> {
  items: Row[];
  total: number;
}

interface Page<Row> extends Listed<Row> {
  next_cursor: string | null;
}

const pageSize = 50;

const pages = <Row>({ pages: read }: { pages: Page<Row>[] }): Listed<Row> => ({
  items: read.flatMap((page) => page.items),
  total: read.at(-1)?.total ?? 0,
});

/** Searches, the newest first. */
export const searchesQuery = infiniteQueryOptions({
  queryKey: ["targets", "searches"],
  queryFn: ({ pageParam, signal }): Promise<Page<Search>> =>
    answer(
      api.GET("/api/v1/target-search", {
        params: { query: { limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) } },
        signal,
      }),
    ),
  initialPageParam: "",
  getNextPageParam: (page) => page.next_cursor ?? undefined,
  select: pages<Search>,
  placeholderData: keepPreviousData,
});

export const searchQuery = (id: string) =>
  queryOptions({
    queryKey: ["targets", "search", id],
    queryFn: ({ signal }): Promise<Search> =>
      answer(api.GET("/api/v1/target-search/{id}", { params: { path: { id } }, signal })),
  });

/** What a search has found up to now, in an order that the panel knows: `-score`, `latency_ms`, `target`. */
export const resultsQuery = (id: string, sort: string, suitability: Suitability | undefined) =>
  infiniteQueryOptions({
    queryKey: ["targets", "results", id, sort, suitability],
    queryFn: ({ pageParam, signal }): Promise<Page<Result>> =>
      answer(
        api.GET("/api/v1/target-search/{id}/results", {
          params: {
            path: { id },
            query: {
              sort,
              limit: pageSize,
              ...(suitability && { suitability }),
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: pages<Result>,
    placeholderData: keepPreviousData,
  });

/** Nodes by a part of their names; the panel searches, so that a fleet of any size is never loaded. */
export const nodesQuery = (q: string) =>
  queryOptions({
    queryKey: ["targets", "nodes", q],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/nodes", { params: { query: { limit: 20, sort: "name", ...(q && { q }) } }, signal })),
    select: (page) => page.items.map(({ id, name }) => ({ value: id, label: name })),
  });

/** What was done makes stale whatever is known of searches, also after a refusal. */
function useAct<Variables, Answer>(act: (variables: Variables) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: act, onSettled: () => queries.invalidateQueries({ queryKey: ["targets"] }) });
}

/** Begins a search; the key lets the panel do it once, however often the request is sent. */
export function useSearch() {
  return useAct(({ key, ...body }: NewSearch & { key: string }): Promise<Search> => {
    const header = { "Idempotency-Key": key };
    return answer(api.POST("/api/v1/target-search", { params: { header }, body }));
  });
}

/** Looks at one target alone. */
export function useCheck() {
  return useAct((body: NewCheck): Promise<Search> => answer(api.POST("/api/v1/target-search/check", { body })));
}

export function useCancel() {
  return useAct((id: string): Promise<Search> => {
    return answer(api.POST("/api/v1/target-search/{id}/cancel", { params: { path: { id } } }));
  });
}
