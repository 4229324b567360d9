import { infiniteQueryOptions, keepPreviousData, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

export type Item = components["schemas"]["HealthItem"];
export type NewItem = components["schemas"]["HealthNewItem"];
export type Settings = components["schemas"]["HealthSettings"];

/** The rows that were read so far, and how many there are. */
export interface Listed {
  items: Item[];
  total: number;
}

const pageSize = 50;

/** The items, page by page, in an order that the panel knows: `name`, `-created_at`. */
export const itemsQuery = (sort: string) =>
  infiniteQueryOptions({
    queryKey: ["health", "list", sort],
    queryFn: ({ pageParam, signal }): Promise<components["schemas"]["HealthItemPage"]> =>
      answer(
        api.GET("/api/v1/health/items", {
          params: { query: { sort, limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }): Listed => ({
      items: pages.flatMap((page) => page.items),
      total: pages.at(-1)?.total ?? 0,
    }),
    placeholderData: keepPreviousData,
  });

/** What was done makes stale whatever is known of items, also after a refusal. */
function useAct<Variables, Result>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: () => queries.invalidateQueries({ queryKey: ["health"] }),
  });
}

/** Adds an item; the key lets the panel do it once, however often the request is sent. */
export function useAddItem() {
  return useAct(({ key, ...body }: NewItem & { key: string }): Promise<Item> => {
    const header = { "Idempotency-Key": key };
    return answer(api.POST("/api/v1/health/items", { params: { header }, body }));
  });
}

export function useChangeItem() {
  return useAct(({ id, revision, name, comment }: Item): Promise<Item> => {
    const body = { revision, name, comment };
    return answer(api.PATCH("/api/v1/health/items/{id}", { params: { path: { id } }, body }));
  });
}

export function useRemoveItem() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/health/items/{id}", { params: { path: { id } } })));
}

/** How the settings of this module are read and written. */
export const settingsCalls = {
  read: (signal: AbortSignal) => answer(api.GET("/api/v1/health/settings", { signal })),
  write: (body: { revision: number; settings: Settings }) => answer(api.PUT("/api/v1/health/settings", { body })),
};
