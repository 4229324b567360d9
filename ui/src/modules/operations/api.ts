import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

export type Operation = components["schemas"]["OperationsOperation"];

const recent = 10;

/** How many operations have not ended. */
export function useActiveCount(): number {
  const count = useQuery({
    queryKey: ["operations", "active"],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/operations", { params: { query: { active: true, limit: 1 } }, signal })),
    select: (page) => page.total,
  });
  return count.data ?? 0;
}

/** The latest operations, asked for while somebody looks. */
export function useRecent(open: boolean) {
  return useQuery({
    queryKey: ["operations", "recent"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/operations", { params: { query: { limit: recent } }, signal })),
    select: (page): Operation[] => page.items ?? [],
    enabled: open,
  });
}

export function useCancel() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(api.POST("/api/v1/operations/{id}/cancel", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["operations"] }),
  });
}
