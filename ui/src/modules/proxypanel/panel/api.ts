import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { listQuery, type PageQuery } from "@/components/table/list-query";
import type { Connection } from "../api";

type Schemas = components["schemas"];

export type PanelNode = Schemas["ProxypanelNode"];
export type PanelInbound = Schemas["ProxypanelInbound"];
export type PanelHost = Schemas["ProxypanelHost"];
export type PanelSquad = Schemas["ProxypanelSquad"];
export type PanelUser = Schemas["ShadowListedUser"];
export type SyncRun = Schemas["SyncsRun"];

/** How often what changes by itself is read again: the panel reads a proxy panel each minute. */
const pace = 30_000;
const fastPace = 3_000;

export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: ["proxypanel", "connection", id],
    queryFn: ({ signal }): Promise<Connection> =>
      answer(api.GET("/api/v1/proxypanel/connections/{id}", { params: { path: { id } }, signal })),
    refetchInterval: pace,
  });

/** What a list of objects is narrowed to. */
export interface Narrowed {
  q?: string;
  gone?: boolean;
}

const asked = (page: PageQuery, { q, gone }: Narrowed) => ({ ...page, ...(q && { search: q }), ...(gone && { gone }) });

export const nodesQuery = (id: string, wanted: Narrowed) =>
  listQuery<PanelNode>(
    ["proxypanel", "nodes", id, wanted],
    (page, signal) =>
      answer(
        api.GET("/api/v1/proxypanel/connections/{id}/nodes", {
          params: { path: { id }, query: asked(page, wanted) },
          signal,
        }),
      ),
    pace,
  );

export const inboundsQuery = (id: string, wanted: Narrowed) =>
  listQuery<PanelInbound>(
    ["proxypanel", "inbounds", id, wanted],
    (page, signal) =>
      answer(
        api.GET("/api/v1/proxypanel/connections/{id}/inbounds", {
          params: { path: { id }, query: asked(page, wanted) },
          signal,
        }),
      ),
    pace,
  );

export const hostsQuery = (id: string, wanted: Narrowed) =>
  listQuery<PanelHost>(
    ["proxypanel", "hosts", id, wanted],
    (page, signal) =>
      answer(
        api.GET("/api/v1/proxypanel/connections/{id}/hosts", {
          params: { path: { id }, query: asked(page, wanted) },
          signal,
        }),
      ),
    pace,
  );

export const squadsQuery = (id: string, wanted: Narrowed) =>
  listQuery<PanelSquad>(
    ["proxypanel", "squads", id, wanted],
    (page, signal) =>
      answer(
        api.GET("/api/v1/proxypanel/connections/{id}/squads", {
          params: { path: { id }, query: asked(page, wanted) },
          signal,
        }),
      ),
    pace,
  );

export const userStatuses = ["ACTIVE", "DISABLED", "LIMITED", "EXPIRED"] as const;
export type UserStatus = (typeof userStatuses)[number];

export const usersQuery = (id: string, { status, ...wanted }: Narrowed & { status?: UserStatus }) =>
  listQuery<PanelUser>(
    ["proxypanel", "users", id, wanted, status],
    (page, signal) =>
      answer(
        api.GET("/api/v1/proxypanel/connections/{id}/users", {
          params: { path: { id }, query: { ...asked(page, wanted), ...(status && { status }) } },
          signal,
        }),
      ),
    pace,
  );

export const syncsQuery = (id: string) =>
  listQuery<SyncRun>(
    ["proxypanel", "syncs", id],
    (page, signal) =>
      answer(api.GET("/api/v1/proxypanel/connections/{id}/syncs", { params: { path: { id }, query: page }, signal })),
    fastPace,
  );

/** After an act, also one that was refused, all that is shown of proxy panels is read again. */
export function useStale() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["proxypanel"] });
}

/** Begins a synchronisation of everything; it goes on by itself and stands in the list. */
export function useSync() {
  const onSettled = useStale();
  return useMutation({
    mutationFn: (id: string) =>
      answer(api.POST("/api/v1/proxypanel/connections/{id}/sync", { params: { path: { id } } })),
    onSettled,
  });
}

export type MappedNode = Omit<Schemas["ProxypanelPanelNodeView"], "mapping" | "proposal"> & {
  mapping: Schemas["ProxypanelNodeMapping"] | null;
  proposal: Schemas["ProxypanelNodeMatch"] | null;
};
export type Adoption = Schemas["ProxypanelAdoption"];
export type Drift = Schemas["OffersDrift"];
export type DriftList = Omit<Schemas["ProxypanelDriftList"], "looked_at"> & { looked_at: string | null };

export const mappingQuery = (id: string) =>
  queryOptions({
    queryKey: ["proxypanel", "mapping", id],
    queryFn: async ({ signal }): Promise<MappedNode[]> =>
      (await answer(api.GET("/api/v1/proxypanel/connections/{id}/mapping", { params: { path: { id } }, signal })))
        .items,
    refetchInterval: pace,
  });

/** Nodes of the fleet by a part of their name. */
export const fleetQuery = (q: string) =>
  queryOptions({
    queryKey: ["proxypanel", "fleet", q],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/nodes", { params: { query: { limit: 20, ...(q && { q }) } }, signal })),
  });

export function useAdopt(id: string) {
  const onSettled = useStale();
  return useMutation({
    mutationFn: (body: Adoption) =>
      answer(api.POST("/api/v1/proxypanel/connections/{id}/adopt", { params: { path: { id } }, body })),
    onSettled,
  });
}

export function useRelease(id: string) {
  const onSettled = useStale();
  return useMutation({
    mutationFn: (panelNodeId: string) =>
      answer(
        api.DELETE("/api/v1/proxypanel/connections/{id}/nodes/{panel_node_id}/mapping", {
          params: { path: { id, panel_node_id: panelNodeId } },
        }),
      ),
    onSettled,
  });
}

export const driftQuery = (id: string) =>
  queryOptions({
    queryKey: ["proxypanel", "drift", id],
    queryFn: ({ signal }): Promise<DriftList> =>
      answer(api.GET("/api/v1/proxypanel/connections/{id}/drift", { params: { path: { id } }, signal })),
    refetchInterval: pace,
  });

/** Asks the proxy panel now whether all stands there as it was written. */
export function useCompare(id: string) {
  const onSettled = useStale();
  return useMutation({
    mutationFn: () => answer(api.POST("/api/v1/proxypanel/connections/{id}/drift", { params: { path: { id } } })),
    onSettled,
  });
}

/** Ends a drift: what is there is taken over, or what was written is written again. */
export function useSettle(id: string, act: "adopt" | "overwrite") {
  const onSettled = useStale();
  return useMutation({
    mutationFn: (object: string) => {
      const params = { path: { id, object } };
      return answer(
        act === "adopt"
          ? api.POST("/api/v1/proxypanel/connections/{id}/drift/{object}/adopt", { params })
          : api.POST("/api/v1/proxypanel/connections/{id}/drift/{object}/overwrite", { params }),
      );
    },
    onSettled,
  });
}

/** Sets the secret that webhooks of the proxy panel are signed with; none takes it away. */
export function useWebhookSecret(id: string) {
  const onSettled = useStale();
  return useMutation({
    mutationFn: (secret: string) =>
      answer(api.PUT("/api/v1/proxypanel/connections/{id}/webhook", { params: { path: { id } }, body: { secret } })),
    onSettled,
  });
}
