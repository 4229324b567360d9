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

const logAgainMs = 10_000;

export const diagnosticsQuery = (component: LogComponent) =>
  queryOptions({
    queryKey: ["diagnostics", component],
    queryFn: ({ signal }): Promise<Diagnostics> =>
      answer(api.GET("/api/v1/system/diagnostics", { params: { query: { component, tail: 200 } }, signal })),
    refetchInterval: logAgainMs,
    placeholderData: keepPreviousData,
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
      const content = await answer(
        api.POST("/api/v1/system/support-bundle", { body: { since } as never, parseAs: "blob" }),
      );
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
