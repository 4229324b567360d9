import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { Page } from "../shared/pages";

type Schemas = components["schemas"];

export type Binding = Schemas["DomainsDomain"];
export type DnsDetail = Schemas["RecordsDetail"];

export interface BindingsFilter {
  q?: string;
  sort?: string;
}

const pageSize = 50;
const largestPage = 200;
const minutes = 60_000;

function listBindings(
  query: BindingsFilter & { limit: number; cursor?: string },
  signal: AbortSignal,
): Promise<Page<Binding>> {
  return answer(api.GET("/api/v1/node-domains", { params: { query }, signal }));
}

export const bindingsQuery = (filter: BindingsFilter) =>
  infiniteQueryOptions({
    queryKey: ["cdn-dns", "bindings", "list", filter],
    queryFn: ({ pageParam, signal }) =>
      listBindings({ ...filter, limit: pageSize, ...(pageParam && { cursor: pageParam }) }, signal),
    initialPageParam: "",
    getNextPageParam: (page: Page<Binding>) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

export const bindingQuery = (id: string) =>
  queryOptions({
    queryKey: ["cdn-dns", "bindings", "one", id],
    queryFn: ({ signal }): Promise<Binding> =>
      answer(api.GET("/api/v1/node-domains/{id}", { params: { path: { id } }, signal })),
  });

export const bindingModes: Binding["mode"][] = ["direct", "cdn", "relay", "reality_sni", "static_site"];

const mostNodes = 20;

/** The first nodes whose names have a text in them. */
export const nodesNamedQuery = (text: string) =>
  queryOptions({
    queryKey: ["nodes", "named", text],
    queryFn: async ({ signal }) => {
      const query = { limit: mostNodes, ...(text && { q: text }) };
      return (await answer(api.GET("/api/v1/nodes/brief", { params: { query }, signal }))).nodes;
    },
    placeholderData: keepPreviousData,
  });

export function useBind() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["DomainsCreateInputBody"]): Promise<Binding> =>
      answer(api.POST("/api/v1/node-domains", { body })),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["cdn-dns", "bindings"] }),
        queries.invalidateQueries({ queryKey: ["nodes", "domains"] }),
      ]),
  });
}

/** Bindings whose host names have a text in them: one page, the largest. */
export const bindingsNamedQuery = (text: string) =>
  queryOptions({
    queryKey: ["cdn-dns", "bindings", "named", text],
    queryFn: ({ signal }) => listBindings({ q: text, limit: largestPage }, signal),
  });

/** What a host name wants and what name servers answer. Nobody learns it of somebody else's binding. */
export const dnsQuery = (id: string) =>
  queryOptions({
    queryKey: ["cdn-dns", "bindings", "dns", id],
    queryFn: ({ signal }): Promise<DnsDetail> =>
      answer(api.GET("/api/v1/node-domains/{id}/dns", { params: { path: { id } }, signal })),
  });

/** Has the name servers asked now and waits for their answers; states of lists are read again. */
export function useCheckDns(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (): Promise<DnsDetail> =>
      answer(api.POST("/api/v1/node-domains/{id}/check", { params: { path: { id } } })),
    gcTime: 0,
    onSuccess: (detail) => {
      queries.setQueryData(dnsQuery(id).queryKey, detail);
      void queries.invalidateQueries({ queryKey: ["cdn-dns", "bindings", "list"] });
      void queries.invalidateQueries({ queryKey: ["cdn-dns", "bindings", "one", id] });
    },
  });
}

/** The names of nodes that host names lead to, at most 200 in one question; those that are gone are left out. */
export const nodeNamesQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ["nodes", "of-domains", ...ids],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/nodes/brief", { params: { query: { ids: ids.join(",") } }, signal })).then(
        ({ nodes }) => new Map(nodes.map(({ id, name }) => [id, name])),
      ),
    staleTime: 5 * minutes,
    retry: false,
  });

/** The name of a flow that uses a host name. */
export const flowNameQuery = (id: string) =>
  queryOptions({
    queryKey: ["flows", "name", id],
    queryFn: ({ signal }): Promise<Schemas["FlowsFlow"]> =>
      answer(api.GET("/api/v1/connection-units/{id}", { params: { path: { id } }, signal })),
    retry: false,
  });
