import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import type { components } from "./schema.gen";

export type SystemStatus = components["schemas"]["SystemStatusOutputBody"];

export const systemStatusQuery = queryOptions({
  queryKey: ["system", "status"],
  queryFn: ({ signal }): Promise<SystemStatus> => answer(api.GET("/api/v1/system/status", { signal })),
  staleTime: 60_000,
});
