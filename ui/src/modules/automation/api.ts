import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";

export type AutomationState = components["schemas"]["AutomationState"];
export type AutomaticAct = Omit<components["schemas"]["AutomationAct"], "last"> & {
  last: components["schemas"]["AutomationLastAct"] | null;
};
export interface Acts {
  state: AutomationState;
  items: AutomaticAct[];
}

export const stateQuery = queryOptions({
  queryKey: ["automation", "state"],
  queryFn: ({ signal }): Promise<AutomationState> => answer(api.GET("/api/v1/system/automation", { signal })),
  staleTime: 60_000,
});

export const actsQuery = queryOptions({
  queryKey: ["automation", "acts"],
  queryFn: ({ signal }): Promise<Acts> => answer(api.GET("/api/v1/system/automation/acts", { signal })),
});

/** Stops everything for a reason, or without one lets the panel act again. */
export function useSwitch() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (reason: string | undefined): Promise<AutomationState> =>
      reason === undefined
        ? answer(api.POST("/api/v1/system/automation/resume", {}))
        : answer(api.POST("/api/v1/system/automation/stop", { body: { reason } })),
    onSuccess: (state) => queries.setQueryData(stateQuery.queryKey, state),
    onSettled: () => queries.invalidateQueries({ queryKey: ["automation"] }),
  });
}
