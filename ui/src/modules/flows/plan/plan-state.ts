import { isProblem } from "@/api/problem";
import type { Check, Flow, Plan } from "../shared/api";

/** What a plan is worth now. Only `unconfirmed` may be passed by force; the rest has a fix and no force button. */
export type PlanStatus =
  | "ready"
  | "checking"
  | "unconfirmed"
  | "blocked"
  | "errors"
  | "conflict"
  | "outdated"
  | "stale"
  | "expired"
  | "applied"
  | "applying"
  | "noop";

export function planStatus(flow: Pick<Flow, "state" | "draft_revision">, plan: Plan, refused: unknown): PlanStatus {
  if (plan.state === "applied") return "applied";
  if (flow.state === "applying" || isProblem(refused, "apply_active")) return "applying";
  if (plan.errors.length > 0 || isProblem(refused, "compile_failed")) return "errors";
  if (plan.conflicts.length > 0 || isProblem(refused, "port_conflict")) return "conflict";
  if (plan.state === "expired") return "expired";
  if (plan.revision !== flow.draft_revision || isProblem(refused, "plan_revision_conflict")) return "outdated";
  if (plan.state === "stale" || isProblem(refused, "plan_stale") || isProblem(refused, "target_suitability_stale"))
    return "stale";
  if (plan.is_noop) return "noop";
  return readiness(plan);
}

/** Nobody decides on checks before the nodes were asked. */
function readiness(plan: Plan): PlanStatus {
  const open = openChecks(plan);
  if (plan.obstacles.length > 0 || open.some((check) => !check.forceable)) return "blocked";
  if (open.length === 0) return "ready";
  return plan.checking ? "checking" : "unconfirmed";
}

export function openChecks(plan: Plan): Check[] {
  return plan.readiness.filter((check) => check.status !== "confirmed");
}

/** Checks that no node has answered yet, while the nodes are still asked. */
export function waitingChecks(plan: Plan): Check[] {
  return plan.checking ? openChecks(plan).filter((check) => check.finding.code === "not_observed") : [];
}

/** Whether a probe has found a port taken: it is free again once it is checked again. */
export function heldByProbe(plan: Plan): boolean {
  return (
    plan.conflicts.length > 0 &&
    plan.readiness.some((check) => check.group === "listeners" && check.status === "failed")
  );
}
