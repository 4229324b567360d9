import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

type Schemas = components["schemas"];

/** Something that was done about a user. */
export type Act = Schemas["CasesAction"];
export type ActKind = Act["kind"];
export type NewAct = Schemas["ActsOrder"];

export const doAct = (id: string, body: NewAct, key: string): Promise<Act> =>
  answer(
    api.POST("/api/v1/abuse/cases/{id}/actions", {
      params: { path: { id }, header: { "Idempotency-Key": key } },
      body,
    }),
  );

export function useUndo() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(api.POST("/api/v1/abuse/actions/{id}/undo", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["abuse"] }),
  });
}
