import { infiniteQueryOptions, keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { serverNow } from "@/api/server-clock";
import { saveFile } from "@/components/screen/save-file";
import { queryOf, type AuditFilter } from "./filter";

export type Entry = components["schemas"]["AuditEntry"];
export type Report = components["schemas"]["AuditReport"];
export type Finding = components["schemas"]["AuditFinding"];

const pageSize = 50;

export const entriesQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["audit", "list", filter],
    queryFn: ({ pageParam, signal }): Promise<components["schemas"]["AuditEntryPage"]> =>
      answer(
        api.GET("/api/v1/audit", {
          params: {
            query: {
              ...queryOf(filter, new Date(serverNow())),
              limit: pageSize,
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

/** An entry never changes, apart from the moment in which it is sealed. */
export const entryQuery = (id: string) =>
  queryOptions({
    queryKey: ["audit", "entry", id],
    queryFn: ({ signal }): Promise<Entry> =>
      answer(api.GET("/api/v1/audit/{id}", { params: { path: { id } }, signal })),
  });

export const actionsQuery = queryOptions({
  queryKey: ["audit", "actions"],
  queryFn: async ({ signal }): Promise<string[]> => (await answer(api.GET("/api/v1/audit/actions", { signal }))).items,
  staleTime: 60_000,
});

export function useVerify() {
  return useMutation({ mutationFn: (): Promise<Report> => answer(api.GET("/api/v1/audit/verify", {})) });
}

export type ExportFormat = "csv" | "ndjson";

/** Downloads all that the filter chooses, not only what is on the screen. */
export function useExport(filter: AuditFilter) {
  return useMutation({
    mutationFn: async (format: ExportFormat) => {
      const query = { format, ...queryOf(filter, new Date(serverNow())) };
      const content: unknown = await answer(api.GET("/api/v1/audit/export", { params: { query }, parseAs: "blob" }));
      saveFile(`journal-${new Date().toISOString().slice(0, 10)}.${format}`, content as Blob);
    },
  });
}
