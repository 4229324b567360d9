import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { listQuery } from "@/components/table/list-query";

type Schemas = components["schemas"];
export type Entry = Schemas["AbuseEntry"];
export type NewEntry = Schemas["AbuseNewEntry"];

export const entriesQuery = (sort: string) =>
  listQuery<Entry>(["abuse", "allowlist", sort], (page, signal) =>
    answer(api.GET("/api/v1/abuse/allowlist", { params: { query: { ...page, sort } }, signal })),
  );

/** Who is allowed decides which signals and cases are shown: all that is known becomes stale. */
function useStale() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["abuse"] });
}

export function useAllow() {
  const onSettled = useStale();
  return useMutation({
    mutationFn: ({ key, ...body }: NewEntry & { key: string }): Promise<Entry> =>
      answer(api.POST("/api/v1/abuse/allowlist", { params: { header: { "Idempotency-Key": key } }, body })),
    onSettled,
  });
}

export function useDisallow() {
  const onSettled = useStale();
  return useMutation({
    mutationFn: (id: string) => answer(api.DELETE("/api/v1/abuse/allowlist/{id}", { params: { path: { id } } })),
    onSettled,
  });
}
