import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";

const most = 200;

/** Nodes by name, for a field where some are chosen. */
export const nodesQuery = queryOptions({
  queryKey: ["abuse", "nodes"],
  queryFn: ({ signal }) =>
    answer(api.GET("/api/v1/nodes", { params: { query: { limit: most, sort: "name" } }, signal })),
  select: (page) => page.items.map(({ id, name }) => ({ value: id, label: name })),
  staleTime: 60_000,
});
