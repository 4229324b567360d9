import { keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { saveFile } from "@/components/screen/save-file";

export type Diagnostics = components["schemas"]["DiagnosticsView"];
export type Check = components["schemas"]["DoctorCheckDocument"];
export type LogLine = components["schemas"]["DiagnosticsLine"];
export type Manifest = components["schemas"]["SupportManifest"];

export const logComponents = ["backend", "worker", "scheduler", "nginx"] as const;
export type LogComponent = (typeof logComponents)[number];

export const periods = ["1h", "24h", "7d"] as const;
export type Period = (typeof periods)[number];

export const logLevels = ["all", "INFO", "WARN", "ERROR"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogChoice {
  component: LogComponent;
  level: LogLevel;
  /** The newest lines come by themselves. */
  follow: boolean;
}

const followMs = 3_000;
const tail = 500;

const read = (
  query: { component: LogComponent; tail: number; level?: "INFO" | "WARN" | "ERROR" },
  signal: AbortSignal,
) => answer(api.GET("/api/v1/system/diagnostics", { params: { query }, signal }));

export const diagnosticsQuery = ({ component, level, follow }: LogChoice) =>
  queryOptions({
    queryKey: ["diagnostics", component, level],
    queryFn: ({ signal }): Promise<Diagnostics> =>
      read({ component, tail, ...(level === "all" ? {} : { level }) }, signal),
    refetchInterval: follow ? followMs : false,
    placeholderData: keepPreviousData,
  });

/** Which logs this server has: only those are offered. */
export const logsHereQuery = queryOptions({
  queryKey: ["diagnostics", "logs-here"],
  queryFn: async ({ signal }): Promise<LogComponent[]> => {
    const asked = await Promise.all(
      logComponents.map(async (component) => ({ component, found: (await read({ component, tail: 1 }, signal)).log })),
    );
    return asked
      .filter(({ component, found }) => component === "backend" || found.lines.length > 0)
      .map(({ component }) => component);
  },
  staleTime: 5 * 60_000,
});

export function usePreview() {
  return useMutation({
    mutationFn: (since: Period): Promise<Manifest> =>
      answer(api.POST("/api/v1/system/support-bundle/preview", { body: { since } })),
  });
}

/** The panel names the file after its own clock; a browser's download may use the clock that the reader sees. */
export function useDownload() {
  return useMutation({
    mutationFn: async (since: Period) => {
      // The description lists no body for an operation that streams.
      const content = await answer(api.POST("/api/v1/system/support-bundle", { body: { since }, parseAs: "blob" }));
      const stamp = new Date().toISOString().slice(0, 16).replaceAll(/[-:]/g, "").replace("T", "-");
      saveFile(`panel-${stamp}.tar.gz`, content as Blob, "application/gzip");
    },
  });
}

export function useSend() {
  return useMutation({
    mutationFn: (since: Period): Promise<Manifest> =>
      answer(api.POST("/api/v1/system/support-bundle/send", { body: { since } })),
  });
}
