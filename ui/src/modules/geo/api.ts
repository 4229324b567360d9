import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { everyPage } from "@/components/table/every-page";
import { listQuery } from "@/components/table/list-query";

type Schemas = components["schemas"];

export type Version = Schemas["GeoVersion"];

/** The description cannot say that a reference may be null; the panel sends null where there is no such version. */
export type Asset = Omit<Schemas["GeoAsset"], "version" | "previous" | "candidate"> & {
  version: Version | null;
  previous: Version | null;
  candidate: Version | null;
};
export type AssetState = Asset["state"];
export type Preset = Schemas["GeoPreset"];
export type NewAsset = Schemas["GeoNewAsset"];
export type AssetChange = Schemas["GeoAssetChange"];
export type KeptVersion = Schemas["GeoKeptVersion"];
export type HoldingNode = Schemas["GeoNodeState"];
export type Category = Schemas["GeoCategory"];
export type Entry = Schemas["GeoEntry"];
export type Changes = Schemas["GeoChanges"];
export type Lookup = Omit<Schemas["GeoFound"], "network"> & { network: Schemas["GeoNetwork"] | null };
export type HeldAsset = Schemas["GeoNodeAsset"];

const most = 200;

/** How often progress is asked for while something goes on: each node that takes a file causes no event. */
const progressEvery = 3_000;

const underWay: AssetState[] = ["downloading", "checking", "distributing"];

export const isUnderWay = ({ state }: Pick<Asset, "state">) => underWay.includes(state);

/** How often nodes are asked for that shall take a file and have not yet, offline ones among them. */
const awaitedEvery = 15_000;

export function asksAgain(assets: readonly Pick<Asset, "state" | "nodes">[]): number | false {
  if (assets.some(isUnderWay)) return progressEvery;
  return assets.some(({ nodes }) => nodes.waiting > 0) && awaitedEvery;
}

export const assetsQuery = queryOptions({
  queryKey: ["geo", "assets"],
  queryFn: ({ signal }): Promise<Asset[]> =>
    everyPage<Asset>((cursor) => {
      const query = { limit: most, ...(cursor && { cursor }) };
      return answer(api.GET("/api/v1/geo-assets", { params: { query }, signal }));
    }),
  refetchInterval: ({ state: { data } }) => asksAgain(data ?? []),
});

export const assetQuery = (id: string) =>
  queryOptions({
    queryKey: ["geo", "asset", id],
    queryFn: ({ signal }): Promise<Asset> =>
      answer(api.GET("/api/v1/geo-assets/{id}", { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => asksAgain(data ? [data] : []),
  });

/** The sources that the panel knows; they change only with the release. */
export const presetsQuery = queryOptions({
  queryKey: ["geo", "presets"],
  queryFn: async ({ signal }): Promise<Preset[]> =>
    (await answer(api.GET("/api/v1/geo-assets/presets", { signal }))).items,
  staleTime: Infinity,
});

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["geo", "versions", id],
    queryFn: async ({ signal }): Promise<KeptVersion[]> =>
      (await answer(api.GET("/api/v1/geo-assets/{id}/versions", { params: { path: { id } }, signal }))).items,
  });

export const holdersQuery = (id: string, state: HoldingNode["state"] | undefined) =>
  listQuery<HoldingNode>(["geo", "nodes", id, state], (page, signal) =>
    answer(
      api.GET("/api/v1/geo-assets/{id}/nodes", {
        params: { path: { id }, query: { ...page, ...(state && { state }) } },
        signal,
      }),
    ),
  );

export const categoriesQuery = (id: string, q: string | undefined) =>
  listQuery<Category>(["geo", "categories", id, q], (page, signal) =>
    answer(
      api.GET("/api/v1/geo-assets/{id}/categories", {
        params: { path: { id }, query: { ...page, ...(q && { q }) } },
        signal,
      }),
    ),
  );

export const entriesQuery = (id: string, category: string, q: string) =>
  listQuery<Entry>(["geo", "entries", id, category, q], (page, signal) =>
    answer(
      api.GET("/api/v1/geo-assets/{id}/categories/{category}", {
        params: { path: { id, category }, query: { ...page, ...(q && { q }) } },
        signal,
      }),
    ),
  );

export const changesQuery = (id: string, from: string, to: string) =>
  queryOptions({
    queryKey: ["geo", "changes", id, from, to],
    queryFn: ({ signal }): Promise<Changes> =>
      answer(api.GET("/api/v1/geo-assets/{id}/changes", { params: { path: { id }, query: { from, to } }, signal })),
    staleTime: Infinity,
  });

/** Which lists hold a domain or an address. */
export const lookupQuery = (q: string) =>
  queryOptions({
    queryKey: ["geo", "lookup", q],
    queryFn: ({ signal }): Promise<Lookup> =>
      answer(api.GET("/api/v1/geo-assets/lookup", { params: { query: { q } }, signal })),
    enabled: q !== "",
  });

export const heldQuery = (nodeId: string) =>
  queryOptions({
    queryKey: ["geo", "held", nodeId],
    queryFn: async ({ signal }): Promise<HeldAsset[]> =>
      (await answer(api.GET("/api/v1/geo-assets/of-node/{node_id}", { params: { path: { node_id: nodeId } }, signal })))
        .items,
  });

/** A flow that uses what a file lacks. */
export const flowQuery = (id: string) =>
  queryOptions({
    queryKey: ["geo", "flow", id],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/connection-units/{id}", { params: { path: { id } }, signal })),
    retry: false,
  });

/** After an act, also one that was refused, everything about files is read again. */
function useAct<Variables, Result>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: () => queries.invalidateQueries({ queryKey: ["geo"] }),
  });
}

export function useAddAsset() {
  return useAct((body: NewAsset) => answer(api.POST("/api/v1/geo-assets", { body })));
}

export function useChangeAsset() {
  return useAct(({ id, ...body }: AssetChange & { id: string }) =>
    answer(api.PATCH("/api/v1/geo-assets/{id}", { params: { path: { id } }, body })),
  );
}

export function useRemoveAsset() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/geo-assets/{id}", { params: { path: { id } } })));
}

/** Downloads the file and checks it; a good one goes to the nodes at once, or waits for that. */
export function useUpdateAsset() {
  return useAct(({ id, distribute }: { id: string; distribute: boolean }) =>
    answer(api.POST("/api/v1/geo-assets/{id}/update", { params: { path: { id } }, body: { distribute } })),
  );
}

/** Gives the nodes the version that waits, ring by ring. */
export function useDistribute() {
  return useAct((id: string) => answer(api.POST("/api/v1/geo-assets/{id}/distribute", { params: { path: { id } } })));
}

/** Gives all nodes the version before, at once. */
export function useRollBack() {
  return useAct((id: string) => answer(api.POST("/api/v1/geo-assets/{id}/rollback", { params: { path: { id } } })));
}
