import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

export type Security = components["schemas"]["SystemSecurityOutputBody"];

export const securityQuery = queryOptions({
  queryKey: ["settings", "security"],
  queryFn: ({ signal }): Promise<Security> => answer(api.GET("/api/v1/system/security", { signal })),
});
