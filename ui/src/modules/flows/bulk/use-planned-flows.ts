import { useQueries } from "@tanstack/react-query";
import { planStatus, type PlanStatus } from "../plan/plan-state";
import { flowQuery, planQuery, type Plan } from "../shared/api";
import { compiledQuery } from "../shared/bulk-api";

export type PlannedStatus = PlanStatus | "compiling" | "refused";

export interface PlannedFlow {
  id: string;
  name: string;
  plan: Plan | undefined;
  status: PlannedStatus;
  /** Why there is no plan. */
  error: unknown;
}

/** Compiles the draft of each flow once, and follows the checks of the plans. */
export function usePlannedFlows(ids: readonly string[], allowed: boolean): PlannedFlow[] {
  const flows = useQueries({ queries: ids.map((id) => flowQuery(id)) });
  const compiled = useQueries({ queries: ids.map((id) => ({ ...compiledQuery(id), enabled: allowed })) });
  const now = useQueries({ queries: ids.map((id, at) => planQuery(id, compiled[at]?.data?.id)) });
  return ids.map((id, at): PlannedFlow => {
    const flow = flows[at]?.data;
    const plan = now[at]?.data ?? compiled[at]?.data;
    const error = flows[at]?.error ?? compiled[at]?.error ?? null;
    const status = error ? "refused" : flow && plan ? planStatus(flow, plan, null) : "compiling";
    return { id, name: flow?.name ?? id, plan, status, error };
  });
}

/** Whether the plan is one that is applied together with others: nothing is forced there. */
export const applicable = ({ status, plan }: PlannedFlow): boolean => status === "ready" && plan !== undefined;
