import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import { useFlowAct, type Page, type Version } from "../shared/api";

const root = "/api/v1/connection-units/{id}/versions";

export const versionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["flows", id, "versions"],
    queryFn: ({ signal, pageParam }): Promise<Page<Version>> =>
      answer(
        api.GET(root, {
          signal,
          params: { path: { id }, query: { limit: 50, ...(pageParam && { cursor: pageParam }) } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });

/** How many versions a flow has. */
export const versionCountQuery = (id: string) =>
  queryOptions({
    queryKey: ["flows", id, "versions", "count"],
    queryFn: async ({ signal }) => {
      const page: Page<Version> = await answer(
        api.GET(root, { signal, params: { path: { id }, query: { limit: 1 } } }),
      );
      return page.total;
    },
    staleTime: 60_000,
  });

export const useKeepVersion = (id: string) =>
  useFlowAct((note: string): Promise<Version> =>
    answer(api.POST(root, { params: { path: { id } }, body: { note, reason: "manual" } })),
  );

export interface VersionChange {
  id: string;
  note?: string;
  pinned?: boolean;
}

export const useChangeVersion = (id: string) =>
  useFlowAct(({ id: versionId, ...body }: VersionChange): Promise<Version> =>
    answer(api.PATCH(`${root}/{version_id}`, { params: { path: { id, version_id: versionId } }, body })),
  );
