import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { useFlowAct, type Plan } from "./api";

type Schemas = components["schemas"];

export type BulkItem = Schemas["BulkItem"];
export type BulkApply = Schemas["BulkApply"];

const root = "/api/v1/connection-units/bulk/apply";

/** The plan of a draft, compiled once while its page is open. */
export const compiledQuery = (id: string) =>
  queryOptions({
    queryKey: ["flows-compiled", id],
    queryFn: ({ signal }): Promise<Plan> =>
      answer(api.POST("/api/v1/connection-units/{id}/plan/compile", { signal, params: { path: { id } } })),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

const lookEvery = 1_500;

export const bulkApplyQuery = (id: string) =>
  queryOptions({
    queryKey: ["flows", "bulk", id],
    queryFn: ({ signal }): Promise<BulkApply> =>
      answer(api.GET(`${root}/{bulk_id}`, { signal, params: { path: { bulk_id: id } } })),
    refetchInterval: ({ state }) => (state.data?.finished_at === null ? lookEvery : false),
  });

export const useStartBulkApply = () =>
  useFlowAct((body: Schemas["FlowsBulkApplyInputBody"]): Promise<BulkApply> => answer(api.POST(root, { body })));

/** Begins none of the flows that wait; those that are being applied come to their own end. */
export function useCancelBulkApply({ id, operation_id }: Pick<BulkApply, "id" | "operation_id">) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => answer(api.POST("/api/v1/operations/{id}/cancel", { params: { path: { id: operation_id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: bulkApplyQuery(id).queryKey }),
  });
}
