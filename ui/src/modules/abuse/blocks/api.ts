import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { listQuery } from "@/components/table/list-query";

type Schemas = components["schemas"];

/** An address or network that nodes do not answer for a time. */
export type Block = Schemas["BlocksBlock"];
export type NewBlock = Schemas["BlocksNewBlock"];

export const blockStates = ["active", "ended", "lifted"] as const;

const pace = 5_000;

/** Nodes take blocks over by themselves: until all have said what became of them, the list is read again. */
export const blocksQuery = (state: Block["state"] | undefined, sort: string) =>
  listQuery<Block>(
    ["abuse", "blocks", state ?? "", sort],
    (page, signal) => {
      const query = { ...page, sort, ...(state && { state }) };
      return answer(api.GET("/api/v1/abuse/blocks", { params: { query }, signal }));
    },
    pace,
  );

function useStale() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["abuse"] });
}

export function useBlockNetwork() {
  const onSettled = useStale();
  return useMutation({
    mutationFn: ({ key, ...body }: NewBlock & { key: string }) =>
      answer(api.POST("/api/v1/abuse/blocks", { params: { header: { "Idempotency-Key": key } }, body })),
    onSettled,
  });
}

export function useUnblock() {
  const onSettled = useStale();
  return useMutation({
    mutationFn: (id: string) => answer(api.POST("/api/v1/abuse/blocks/{id}/unblock", { params: { path: { id } } })),
    onSettled,
  });
}
