import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { listQuery } from "@/components/table/list-query";

type Schemas = components["schemas"];

/** A complaint names an address of the fleet and a moment, and often where it was aimed at. */
export type NewLookup = Schemas["LookupsNew"];
export type LookupLine = Schemas["LookupsLine"];
export type Lookup = Schemas["LookupsLookup"];
export type Person = Schemas["LookupsPerson"];

export const lookupsQuery = listQuery<LookupLine>(["abuse", "lookups", "list"], (page, signal) =>
  answer(api.GET("/api/v1/abuse/lookups", { params: { query: page }, signal })),
);

const pace = 1_000;

/** An answer grows while nodes are asked. */
export const lookupQuery = (id: string) =>
  queryOptions({
    queryKey: ["abuse", "lookups", "one", id],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/abuse/lookups/{id}", { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.state === "running" ? pace : false),
  });

export function useLookup() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ key, ...body }: NewLookup & { key: string }) =>
      answer(api.POST("/api/v1/abuse/lookups", { params: { header: { "Idempotency-Key": key } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["abuse", "lookups"] }),
  });
}
