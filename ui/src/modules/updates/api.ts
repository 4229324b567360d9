import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { SettingsCalls } from "@/api/settings-document";
import { ownValue } from "@/components/form/variable-select";

type Schemas = components["schemas"];

/** The description cannot say that a reference may be null. */
export type Rollout = Schemas["UpdatesRollout"];
export type RolloutNode = Schemas["UpdatesRolloutNode"];
export type Build = Schemas["UpdatesBuild"];
export type Rings = Omit<Schemas["UpdatesRings"], "build" | "active"> & { build: Build | null; active: Rollout | null };
export type RingsChange = Schemas["UpdatesRingsInputBody"];
export type Run = Schemas["SelfupdateRun"];
export type Offer = Schemas["SelfupdateOffer"];
export type PanelUpdates = Omit<Schemas["SelfupdateView"], "available" | "run"> & {
  available: Offer | null;
  run: Run | null;
};

export type UpdateSettings = Schemas["SelfupdateShownSettings"];
/** The form's fields; the channel may be left to its variable. */
export interface SettingsFields extends Record<string, unknown> {
  channel: string;
  check: boolean;
}

const settingsPath = "/api/v1/system/updates/settings";

export const settingsCalls: SettingsCalls<UpdateSettings, SettingsFields> = {
  read: (signal) => answer(api.GET(settingsPath, { signal })),
  write: ({ revision, settings: { channel, check } }) => {
    const settings = { channel: ownValue(channel) as UpdateSettings["channel"] | undefined, check };
    return answer(api.PUT(settingsPath, { body: { revision, settings } }));
  },
};

const often = 3_000;
const seldom = 30_000;

export const ringsQuery = queryOptions({
  queryKey: ["updates", "agents", "rings"],
  queryFn: ({ signal }): Promise<Rings> => answer(api.GET("/api/v1/nodes/agent-rings", { signal })),
  // The panel tells nobody of a build that it found; whoever waits for one sees it soon.
  refetchInterval: ({ state: { data } }) => (data?.build && !data.active ? seldom : often),
});

/** Nodes to choose from: some whose name, address or tag holds the text. */
export const nodeNamesQuery = (text: string) =>
  queryOptions({
    queryKey: ["updates", "nodes", text],
    queryFn: async ({ signal }): Promise<{ id: string; name: string }[]> =>
      (await answer(api.GET("/api/v1/nodes", { params: { query: { limit: 50, ...(text && { q: text }) } }, signal })))
        .items,
    placeholderData: keepPreviousData,
  });

export const rolloutsQuery = queryOptions({
  queryKey: ["updates", "agents", "rollouts"],
  queryFn: async ({ signal }): Promise<Rollout[]> =>
    (await answer(api.GET("/api/v1/nodes/agent-rings/rollouts", { params: { query: { limit: 10 } }, signal }))).items,
});

export function rolloutQuery(id: string) {
  return queryOptions({
    queryKey: ["updates", "agents", "rollout", id],
    queryFn: ({ signal }): Promise<Rollout> =>
      answer(api.GET("/api/v1/nodes/agent-rings/rollouts/{id}", { params: { path: { id } }, signal })),
    refetchInterval: (query) => (query.state.data?.state === "running" ? often : false),
  });
}

export const panelQuery = queryOptions({
  queryKey: ["updates", "panel"],
  queryFn: ({ signal }): Promise<PanelUpdates> => answer(api.GET("/api/v1/system/updates", { signal })),
  refetchInterval: (query) => (query.state.data?.run ? often : false),
});

/** After an act both halves of the screen are read again. */
function useAct<Variables, Result>(act: (variables: Variables) => Promise<Result>, half: "agents" | "panel") {
  const queries = useQueryClient();
  return useMutation({ mutationFn: act, onSettled: () => queries.invalidateQueries({ queryKey: ["updates", half] }) });
}

export function useStartRollout() {
  return useAct(
    ({ ring, version }: { ring: number; version: string }) =>
      answer(api.POST("/api/v1/nodes/agent-rings/{ring}/update", { params: { path: { ring } }, body: { version } })),
    "agents",
  );
}

export function useStopRollout() {
  return useAct(
    (id: string) => answer(api.POST("/api/v1/nodes/agent-rings/rollouts/{id}/stop", { params: { path: { id } } })),
    "agents",
  );
}

export function useRetryNode() {
  return useAct(
    (id: string) => answer(api.POST("/api/v1/nodes/{id}/agent-update", { params: { path: { id } }, body: {} })),
    "agents",
  );
}

export function useChangeRings() {
  return useAct((body: RingsChange) => answer(api.PUT("/api/v1/nodes/agent-rings", { body })), "agents");
}

export function useCheck() {
  return useAct<void, unknown>(() => answer(api.POST("/api/v1/system/updates/check", {})), "panel");
}

export function useInstall() {
  return useAct((version: string) => answer(api.POST("/api/v1/system/updates/apply", { body: { version } })), "panel");
}

export function useReturn() {
  return useAct<void, unknown>(() => answer(api.POST("/api/v1/system/updates/rollback", {})), "panel");
}
