import type { Apply, ApplyStep } from "../shared/api";

/** Whether the apply is not decided yet, so that stopping it reverts everything. */
export function canStop(apply: Apply): boolean {
  const decided: Apply["phase"][] = ["committing", "reverting", "returning", "undoing"];
  return apply.state === "applying" && !apply.stopped_by && !decided.includes(apply.phase);
}

/** Whether the nodes go back, because something failed or somebody stopped it. */
export function goesBack(apply: Apply): boolean {
  if (apply.state !== "applying") return false;
  return Boolean(apply.stopped_by) || ["reverting", "returning", "undoing"].includes(apply.phase);
}

export type Doing =
  { kind: "failed" | "running"; stage: ApplyStep["stages"][0] | undefined } | { kind: "waits" | "commit" | "state" };

/** What a node does at this moment: a stage that runs, what it waits for, or how it ended. */
export function doingOf(step: ApplyStep, applying: boolean): Doing {
  const of = (state: string) => step.stages.find((stage) => stage.state === state);
  if (step.error) return { kind: "failed", stage: of("failed") };
  const running = of("running");
  if (running) return { kind: "running", stage: running };
  if (!applying || step.state === "done" || step.state === "reverted" || step.state === "revert_failed")
    return { kind: "state" };
  const done = new Set(
    step.stages.filter(({ state }) => state === "done" || state === "skipped").map(({ stage }) => stage),
  );
  if (done.has("switch")) return { kind: "commit" };
  return { kind: done.has("test") ? "waits" : "state" };
}
