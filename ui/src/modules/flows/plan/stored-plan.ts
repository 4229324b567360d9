import type { Plan } from "../shared/api";

/** The last compiled plan of a flow, so that the editor leads back to it instead of compiling again. */
export type KeptPlan = Pick<Plan, "id" | "revision">;

const keyOf = (flowId: string) => `panel-plan-${flowId}`;

export function keepPlan(flowId: string, { id, revision }: KeptPlan): void {
  sessionStorage.setItem(keyOf(flowId), JSON.stringify({ id, revision }));
}

export function keptPlan(flowId: string): KeptPlan | undefined {
  const text = sessionStorage.getItem(keyOf(flowId));
  return text ? (JSON.parse(text) as KeptPlan) : undefined;
}

export function dropKeptPlan(flowId: string): void {
  sessionStorage.removeItem(keyOf(flowId));
}
