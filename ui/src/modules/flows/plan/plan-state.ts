import { isProblem } from "@/api/problem";
import type { Flow, Plan } from "../shared/api";

/** What a plan is worth now. Only `unconfirmed` may be passed by force; the rest has a fix and no force button. */
export type Standing =
  "ready" | "unconfirmed" | "errors" | "conflict" | "outdated" | "stale" | "expired" | "applied" | "applying" | "noop";

export function planStanding(flow: Pick<Flow, "state" | "draft_revision">, plan: Plan, refused: unknown): Standing {
  if (plan.state === "applied") return "applied";
  if (flow.state === "applying" || isProblem(refused, "apply_active")) return "applying";
  if (plan.errors.length > 0 || isProblem(refused, "compile_failed")) return "errors";
  if (plan.conflicts.length > 0 || isProblem(refused, "port_conflict")) return "conflict";
  if (plan.state === "expired") return "expired";
  if (plan.revision !== flow.draft_revision || isProblem(refused, "plan_revision_conflict")) return "outdated";
  if (plan.state === "stale" || isProblem(refused, "plan_stale") || isProblem(refused, "target_suitability_stale"))
    return "stale";
  if (plan.is_noop) return "noop";
  return plan.readiness.some((check) => check.status !== "confirmed") ? "unconfirmed" : "ready";
}

export function openChecks(plan: Plan) {
  return plan.readiness.filter((check) => check.status !== "confirmed");
}

/** Whether a probe has found a port taken: it is free again once it is checked again. */
export function heldByProbe(plan: Plan): boolean {
  return (
    plan.conflicts.length > 0 &&
    plan.readiness.some((check) => check.group === "listeners" && check.status === "failed")
  );
}
