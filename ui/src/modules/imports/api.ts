import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

type Schemas = components["schemas"];
export type Import = Schemas["ImportsImport"];
export type Entry = Schemas["ImportsEntry"];
export type Finding = Schemas["ImportsFinding"];
export type Made = Schemas["ImportsMade"];
export type Outside = Schemas["ImportsOutside"];
export type Taken = Schemas["ImportsTaken"];

/** The largest file that the panel takes; larger ones are for the command line. */
export const mostBytes = 64 * 1024 * 1024;

/** Reads a file of another program, or the inbounds of another panel. Nothing becomes a flow yet. */
export function useRead() {
  return useMutation({
    mutationFn: (from: Blob | Outside): Promise<Import> =>
      from instanceof Blob
        ? answer(
            api.POST("/api/v1/flow-imports", {
              body: from as unknown as string,
              bodySerializer: (body) => body,
              headers: { "Content-Type": "application/octet-stream" },
            }),
          )
        : answer(api.POST("/api/v1/flow-imports/outside", { body: from })),
  });
}

/** Makes drafts of the chosen entries; the key lets the panel do it once, however often the request is sent. */
export function useTake() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, key, ...body }: { id: string; key: string; node_id?: string; entries: Taken[] }) =>
      answer(
        api.POST("/api/v1/flow-imports/{id}/flows", {
          params: { path: { id }, header: { "Idempotency-Key": key } },
          body,
        }),
      ),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["flows"] }),
        queries.invalidateQueries({ queryKey: ["clients"] }),
      ]),
  });
}

/** Nodes by a part of their names; the panel searches, so that a fleet of any size is never loaded. */
export const nodesQuery = (q: string) =>
  queryOptions({
    queryKey: ["imports", "nodes", q],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/nodes", { params: { query: { limit: 20, sort: "name", ...(q && { q }) } }, signal })),
    select: (page) => page.items.map(({ id, name }) => ({ value: id, label: name })),
  });
