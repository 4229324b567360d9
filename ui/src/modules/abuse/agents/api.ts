import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { listQuery } from "@/components/table/list-query";

export type Agent = components["schemas"]["ViewsAgent"];

export const agentsQuery = (sort: string) =>
  listQuery<Agent>(["abuse", "agents", sort], (page, signal) =>
    answer(api.GET("/api/v1/abuse/agents", { params: { query: { ...page, sort } }, signal })),
  );
