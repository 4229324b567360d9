import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import type { components } from "./schema.gen";

export type SetupState = components["schemas"]["SetupStateOutputBody"];

/** Open to everyone: how far the first installation has come. */
export const setupStateQuery = queryOptions({
  queryKey: ["setup", "state"],
  queryFn: ({ signal }): Promise<SetupState> => answer(api.GET("/api/v1/setup/state", { signal })),
  staleTime: 30_000,
});
