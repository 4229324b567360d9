import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

export type Settings = components["schemas"]["AbuseSettings"];

/** How the settings of this module are read and written. */
export const settingsCalls = {
  read: (signal: AbortSignal) => answer(api.GET("/api/v1/abuse/settings", { signal })),
  write: (body: { revision: number; settings: Settings }) => answer(api.PUT("/api/v1/abuse/settings", { body })),
};

/** From which scores on something is suggested. */
export const thresholdsQuery = queryOptions({
  queryKey: ["settings", "document", "abuse"],
  queryFn: ({ signal }) => settingsCalls.read(signal),
  select: ({ settings }) => settings.thresholds as components["schemas"]["ScoreThresholds"],
});
