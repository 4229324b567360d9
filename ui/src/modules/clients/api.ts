import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { useRef } from "react";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { everyPage } from "@/components/table/every-page";

type Schemas = components["schemas"];
export type Client = Omit<Schemas["ClientsClient"], "quota"> & { quota: Schemas["ClientsQuota"] | null };
export type Limits = Schemas["ClientsLimits"];
export type ClientState = Client["state"];
export type Line = components["schemas"]["ClientsLine"];
type NewClient = components["schemas"]["ClientsNewClient"];
export type Change = components["schemas"]["ClientsChange"];
export type Acts = components["schemas"]["ClientsActs"];
export type BulkResult = components["schemas"]["ClientsBulkResult"];
export type Summary = components["schemas"]["ClientsSummary"];
export type Course = components["schemas"]["ClientsCourse"];

/** How many days the panel gives at most. */
export const mostDays = 3650;

/** What a list of clients is narrowed down to, and its order. */
export interface ClientFilter {
  q?: string | undefined;
  state?: ClientState | undefined;
  tag?: string | undefined;
  flow_id?: string | undefined;
  online?: true | undefined;
  ends_within?: number | undefined;
  not_begun?: true | undefined;
  sort: string;
}

/** The rows that were read so far, and how many there are. */
export interface Listed {
  items: Client[];
  total: number;
}

const pageSize = 50;

/** How often it is asked who is online, in milliseconds: the panel counts what clients carry each minute. */
const onlineEvery = 60_000;

export const clientsQuery = (filter: ClientFilter) =>
  infiniteQueryOptions({
    queryKey: ["clients", "list", filter],
    queryFn: ({ pageParam, signal }): Promise<Omit<Schemas["ClientsClientPage"], "items"> & { items: Client[] }> =>
      answer(
        api.GET("/api/v1/clients", {
          params: { query: { ...filter, limit: pageSize, ...(pageParam && { cursor: pageParam }) } },
          signal,
        }),
      ),
    refetchInterval: filter.online ? onlineEvery : false,
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }): Listed => ({
      items: pages.flatMap((page) => page.items),
      total: pages.at(-1)?.total ?? 0,
    }),
    placeholderData: keepPreviousData,
  });

/** How many clients there are, by what an operator looks for. */
export const summaryQuery = queryOptions({
  queryKey: ["clients", "summary"],
  queryFn: ({ signal }): Promise<Summary> => answer(api.GET("/api/v1/clients/summary", { signal })),
  refetchInterval: onlineEvery,
});

/** All clients that match, for a selection of everything. */
export const everyClient = (narrowed: Omit<ClientFilter, "sort">): Promise<Client[]> =>
  everyPage((cursor) =>
    answer(
      api.GET("/api/v1/clients", {
        params: { query: { ...narrowed, sort: "label", limit: 200, ...(cursor && { cursor }) } },
      }),
    ).then((page) => ({ ...page, items: page.items as Client[] })),
  );

export const clientQuery = (id: string) =>
  queryOptions({
    queryKey: ["clients", "one", id],
    queryFn: async ({ signal }): Promise<Client> =>
      (await answer(api.GET("/api/v1/clients/{id}", { params: { path: { id } }, signal }))) as Client,
  });

/** What a client carried on each of the last days. */
export const courseQuery = (id: string, days: number) =>
  queryOptions({
    queryKey: ["clients", "one", id, "traffic", days],
    queryFn: ({ signal }): Promise<Course> =>
      answer(api.GET("/api/v1/clients/{id}/traffic", { params: { path: { id }, query: { days } }, signal })),
  });

/** The name of the account that owns a client. */
export const ownerQuery = (id: string) =>
  queryOptions({
    queryKey: ["accounts", "one", id],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/accounts/{id}", { params: { path: { id } }, signal })),
    select: (account) => account.username,
    staleTime: 60_000,
    retry: false,
  });

/** Answers with a secret: called directly, so that no cache of queries or mutations ever holds it. */
export const issueAddress = (id: string): Promise<{ url: string; created_at: string }> =>
  answer(api.POST("/api/v1/clients/{id}/public-link", { params: { path: { id } } }));

/** Answers with a secret: called directly, as above. */
export const issueLink = (flowId: string, clientId: string): Promise<Schemas["FlowsConnectionLink"]> =>
  answer(
    api.POST("/api/v1/connection-units/{id}/connection-link", {
      params: { path: { id: flowId } },
      body: { client_id: clientId },
    }),
  );

/** The flows that a client may be given, by their names. */
export const flowNamesQuery = queryOptions({
  queryKey: ["clients", "flows"],
  queryFn: ({ signal }) =>
    answer(api.GET("/api/v1/connection-units", { params: { query: { limit: 200, sort: "name" } }, signal })),
  select: (page) => page.items.map(({ id, name }) => ({ value: id, label: name })),
});

/** What was done makes stale whatever is known of clients and of the flows that they use. */
function useAct<Variables, Result>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["clients", "list"] }),
        queries.invalidateQueries({ queryKey: ["clients", "one"] }),
        queries.invalidateQueries(summaryQuery),
        queries.invalidateQueries({ queryKey: ["flows"] }),
      ]),
  });
}

/** Adds a client; the key lets the panel do it once, however often the request is sent. */
export function useAddClient() {
  return useAct(({ key, ...body }: NewClient & { key: string }): Promise<Client> => {
    const header = { "Idempotency-Key": key };
    return answer(api.POST("/api/v1/clients", { params: { header }, body }));
  });
}

/** What a dialog has changed about a client: its own fields, and the flows that it may use. */
export interface Edit {
  client: Client;
  change: Change;
  flows: string[];
}

/**
 * Changes a client, then its flows. Where something is refused, the next attempt begins with what is there then: with
 * what this one has left, or with what somebody else has saved meanwhile, as the refusal has said.
 */
export function useChangeClient() {
  const left = useRef<Client>(undefined);
  return useAct(async ({ client, change, flows }: Edit): Promise<Client> => {
    const path = { id: client.id };
    const before = left.current ?? client;
    const body = { ...change, revision: before.revision };
    let there = before;
    try {
      there = await answer(api.PATCH("/api/v1/clients/{id}", { params: { path }, body }));
      left.current = there;
      await moveTo(there, flows);
    } catch (refused) {
      left.current = await answer(api.GET("/api/v1/clients/{id}", { params: { path } })).catch(() => there);
      throw refused;
    }
    return there;
  });
}

/** Gives a client the flows that it shall use and takes the others. */
async function moveTo(client: Client, flows: readonly string[]): Promise<void> {
  const had = client.flows.map((use) => use.flow_id);
  const of = (flow_id: string) => ({ params: { path: { id: client.id, flow_id } } });
  for (const id of flows.filter((id) => !had.includes(id)))
    await answer(api.PUT("/api/v1/clients/{id}/flows/{flow_id}", of(id)));
  for (const id of had.filter((id) => !flows.includes(id)))
    await answer(api.DELETE("/api/v1/clients/{id}/flows/{flow_id}", of(id)));
}

/** Ends a client's subscription URL. */
export function useCloseAddress() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/clients/{id}/public-link", { params: { path: { id } } })));
}

/** Gives a client a flow, or takes it. */
export function useUse() {
  return useAct(({ id, flow_id, give }: { id: string; flow_id: string; give: boolean }): Promise<unknown> => {
    const of = { params: { path: { id, flow_id } } };
    return give
      ? answer(api.PUT("/api/v1/clients/{id}/flows/{flow_id}", of))
      : answer(api.DELETE("/api/v1/clients/{id}/flows/{flow_id}", of));
  });
}

export function useImport() {
  return useAct((clients: Line[]) => answer(api.POST("/api/v1/clients/import", { body: { clients } })));
}

/** The chosen clients as a file: JSON that an import reads, or a table. */
export async function exported(narrowed: Omit<ClientFilter, "sort">, format: "json" | "csv"): Promise<Blob> {
  const query = { ...narrowed, format };
  return (await answer(api.GET("/api/v1/clients/export", { params: { query }, parseAs: "blob" }))) as unknown as Blob;
}
