import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { unreachable } from "@/api/problem";
import type { components } from "@/api/schema.gen";
import { saveFile, streamFile } from "@/components/screen/save-file";
import { everyPage } from "@/components/table/every-page";

type Schemas = components["schemas"];

export type Profile = Schemas["BackupsProfile"];
export type Destination = Schemas["BackupsDestination"];
export type DestinationKind = Destination["kind"];
export type DestinationInput = Schemas["BackupsDestinationInput"];
export type NewProfile = Schemas["BackupsNewProfile"];
export type ProfileChange = Schemas["BackupsProfileChange"];
export type RunDestination = Schemas["BackupsRunDestination"];
export type Artefact = Schemas["BackupsArtefact"];
export type Report = Schemas["BackupsReport"];
export type Keys = Schemas["BackupsKeysInput"];

/** The description cannot say that a reference may be null: a run has no artefact before it has written one. */
export type Run = Omit<Schemas["BackupsRun"], "artefact"> & { artefact: Artefact | null };
export type RunState = Run["state"];
/** The newest run of each profile, by the profile's id; what is not known yet is missing. */
export type LastRuns = ReadonlyMap<string, Run | null>;
export type Outcome = Schemas["RestoredOutcome"];
export type Restore = Omit<Schemas["BackupsRestore"], "report" | "outcome"> & {
  report: Report | null;
  outcome: Outcome | null;
};

interface Page<Row> {
  items: Row[];
  next_cursor: string | null;
  total: number;
}

const most = 200;
const someRuns = 25;
const drawnRuns = 60;
const someTests = 50;
const soon = 1_500;
const late = 5_000;

export const profilesQuery = queryOptions({
  queryKey: ["backups", "profiles"],
  queryFn: ({ signal }): Promise<Profile[]> =>
    everyPage((cursor) => {
      const query = { limit: most, ...(cursor && { cursor }) };
      return answer(api.GET("/api/v1/backups/profiles", { params: { query }, signal }));
    }),
});

export const profileQuery = (id: string) =>
  queryOptions({
    queryKey: ["backups", "profile", id],
    queryFn: ({ signal }): Promise<Profile> =>
      answer(api.GET("/api/v1/backups/profiles/{id}", { params: { path: { id } }, signal })),
  });

interface RunsAsked {
  limit: number;
  profile_id?: string;
  cursor?: string;
}

const readRuns = (query: RunsAsked, signal: AbortSignal) =>
  answer(api.GET("/api/v1/backups/runs", { params: { query }, signal })) as Promise<Page<Run>>;

const ofProfile = (profile: string | undefined) => (profile ? { profile_id: profile } : {});

export const runsQuery = (profile: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ["backups", "runs", "list", profile],
    queryFn: ({ pageParam, signal }) =>
      readRuns({ limit: someRuns, ...ofProfile(profile), ...(pageParam && { cursor: pageParam }) }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

/** The newest runs of a profile, for the drawing of their sizes. */
export const sizesQuery = (profile: string) =>
  queryOptions({
    queryKey: ["backups", "runs", "sizes", profile],
    queryFn: async ({ signal }): Promise<Run[]> =>
      (await readRuns({ limit: drawnRuns, profile_id: profile }, signal)).items,
  });

/** The newest run of a profile: the one that goes on, if there is one. Null before the first. */
export const lastRunQuery = (profile: string) =>
  queryOptions({
    queryKey: ["backups", "runs", "last", profile],
    queryFn: async ({ signal }): Promise<Run | null> =>
      (await readRuns({ limit: 1, profile_id: profile }, signal)).items[0] ?? null,
    refetchInterval: ({ state: { data } }) => (data && goesOn(data.state) ? late : false),
  });

export const goesOn = (state: RunState | Restore["state"]) => ["queued", "running", "uploading"].includes(state);

/** One run. The stream says when it has moved; without a stream it is asked for again until its end. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["backups", "run", id],
    queryFn: async ({ signal }): Promise<Run> =>
      (await answer(api.GET("/api/v1/backups/runs/{id}", { params: { path: { id } }, signal }))) as Run,
    refetchInterval: ({ state: { data } }) => (data && goesOn(data.state) ? late : false),
  });

export const restoresQuery = queryOptions({
  queryKey: ["backups", "restores"],
  queryFn: async ({ signal }): Promise<Restore[]> => {
    const page = await answer(api.GET("/api/v1/backups/restores", { params: { query: { limit: someTests } }, signal }));
    return page.items as Restore[];
  },
  refetchInterval: ({ state: { data } }) => (data?.some(({ state }) => goesOn(state)) ? late : false),
});

/** One restore test, asked for again until it has come to its end. */
export const restoreQuery = (id: string) =>
  queryOptions({
    queryKey: ["backups", "restore", id],
    queryFn: async ({ signal }): Promise<Restore> =>
      (await answer(api.GET("/api/v1/backups/restores/{id}", { params: { path: { id } }, signal }))) as Restore,
    refetchInterval: ({ state: { data } }) => (data && !goesOn(data.state) ? false : soon),
  });

/** After an act all lists of the module are read again. */
function useAct<Variables, Result>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    gcTime: 0,
    onSettled: () => void queries.invalidateQueries({ queryKey: ["backups"] }),
  });
}

export function useAddProfile() {
  return useAct((body: NewProfile): Promise<Profile> => answer(api.POST("/api/v1/backups/profiles", { body })));
}

export function useChangeProfile() {
  return useAct(({ id, ...body }: ProfileChange & { id: string }): Promise<Profile> =>
    answer(api.PATCH("/api/v1/backups/profiles/{id}", { params: { path: { id } }, body })),
  );
}

export function useRemoveProfile() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/backups/profiles/{id}", { params: { path: { id } } })));
}

export function useStartRun() {
  return useAct(
    async (profile: string): Promise<Run> =>
      (await answer(api.POST("/api/v1/backups/runs", { body: { profile_id: profile } }))) as Run,
  );
}

export function useCancelRun() {
  return useAct(
    async (id: string): Promise<Run> =>
      (await answer(api.POST("/api/v1/backups/runs/{id}/cancel", { params: { path: { id } } }))) as Run,
  );
}

/** Fetches all files of a backup as one, to the disk where the browser can do that. Choosing no place is no failure. */
export function useDownload() {
  return useMutation({
    mutationFn: async ({ id, name }: { id: string; name: string }) => {
      const file = `${name}.tar`;
      try {
        if (await streamFile(file, () => fetchBackup(id, "stream"))) return;
      } catch (error) {
        if (error instanceof DOMException && error.name === "AbortError") return;
        throw error instanceof TypeError ? unreachable() : error; // a stream that breaks off
      }
      saveFile(file, await fetchBackup(id, "blob"));
    },
  });
}

interface Contents {
  stream: ReadableStream<Uint8Array>;
  blob: Blob;
}

async function fetchBackup<Form extends keyof Contents>(id: string, parseAs: Form): Promise<Contents[Form]> {
  const path = { params: { path: { id } }, parseAs };
  return (await answer(api.GET("/api/v1/backups/runs/{id}/download", path))) as unknown as Contents[Form];
}

export function useStartTest() {
  return useAct(
    async (body: { run_id: string; keys?: Keys }): Promise<Restore> =>
      (await answer(api.POST("/api/v1/backups/restores", { body: { mode: "verify", ...body } }))) as Restore,
  );
}

/** Begins a restore of the panel itself; soon after, nothing but its progress answers. */
export function useStartRestore() {
  return useAct(
    async (body: { run_id: string; confirm: string; keys?: Keys }): Promise<Restore> =>
      (await answer(api.POST("/api/v1/backups/restores", { body: { mode: "full", ...body } }))) as Restore,
  );
}

export type HostKey = Schemas["BackupsHostKey"];

/** Asks an SSH server which key it shows, for a person to compare. */
export function useAskHostKey() {
  return useMutation({
    mutationFn: (body: { host: string; port?: number }): Promise<HostKey> =>
      answer(api.POST("/api/v1/backups/host-key", { body })),
  });
}
