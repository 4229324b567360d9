import { isProblem } from "@/api/problem";
import type { Check, Flow, Plan } from "../shared/api";

/** What a plan is worth now. Only `unconfirmed` may be passed by force; the rest has a fix and no force button. */
export type Standing =
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

export function planStanding(
  flow: Pick<Flow, "state" | "draft_revision">,
  plan: Plan,
  refused: unknown,
  now: number,
): Standing {
  if (plan.state === "applied") return "applied";
  if (flow.state === "applying" || isProblem(refused, "apply_active")) return "applying";
  if (plan.errors.length > 0 || isProblem(refused, "compile_failed")) return "errors";
  if (plan.conflicts.length > 0 || isProblem(refused, "port_conflict")) return "conflict";
  if (plan.state === "expired") return "expired";
  if (plan.revision !== flow.draft_revision || isProblem(refused, "plan_revision_conflict")) return "outdated";
  if (plan.state === "stale" || isProblem(refused, "plan_stale") || isProblem(refused, "target_suitability_stale"))
    return "stale";
  if (plan.is_noop) return "noop";
  return readiness(plan, now);
}

/** A check that could not run stands as such only when its time is over; until then nobody decides on it. */
const checksTake = 5 * 60_000;

function readiness(plan: Plan, now: number): Standing {
  const open = openChecks(plan);
  if (plan.obstacles.length > 0 || open.some((check) => !check.forceable)) return "blocked";
  if (open.length === 0) return "ready";
  const young = now - Date.parse(plan.created_at) < checksTake;
  return young && waitingChecks(plan).length > 0 ? "checking" : "unconfirmed";
}

export function openChecks(plan: Plan): Check[] {
  return plan.readiness.filter((check) => check.status !== "confirmed");
}

/** Checks that no node has answered yet. */
export function waitingChecks(plan: Plan): Check[] {
  return openChecks(plan).filter((check) => check.finding.code === "not_observed");
}

/** Whether a probe has found a port taken: it is free again once it is checked again. */
export function heldByProbe(plan: Plan): boolean {
  return (
    plan.conflicts.length > 0 &&
    plan.readiness.some((check) => check.group === "listeners" && check.status === "failed")
  );
}
