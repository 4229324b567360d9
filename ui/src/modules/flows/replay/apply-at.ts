import type { Apply, ApplyStep, Stage } from "../shared/api";

/** Length of an apply that has ended, in seconds. */
export function lengthOf(apply: Apply): number {
  return apply.finished_at ? (Date.parse(apply.finished_at) - Date.parse(apply.started_at)) / 1000 : 0;
}

/** Whether there is something to show again: it has ended, and at least one node did something. */
export function canReplay(apply: Apply): boolean {
  return lengthOf(apply) > 0 && momentsOf(apply).length > 0;
}

/** The seconds at which a stage began or ended, in their order. */
export function momentsOf(apply: Apply): number[] {
  const began = Date.parse(apply.started_at);
  const times = apply.steps.flatMap((step) => step.stages.flatMap((stage) => [stage.started_at, stage.finished_at]));
  const seconds = times.flatMap((time) => (time === null ? [] : [(Date.parse(time) - began) / 1000]));
  return [...new Set(seconds)].filter((second) => second >= 0).sort((a, b) => a - b);
}

/** The apply as its page showed it that many seconds after its begin. */
export function applyAt(apply: Apply, second: number): Apply {
  if (second >= lengthOf(apply)) return apply;
  const now = Math.round(Date.parse(apply.started_at) + second * 1000);
  const steps = apply.steps.map((step) => stepAt(step, now));
  const back = steps.some((step) => step.stages.some((stage) => stage.stage === "revert" && stage.state !== "pending"));
  return {
    ...apply,
    state: "applying",
    phase: back ? "reverting" : "switching",
    text: { code: "", text: "" },
    finished_at: null,
    stopped_by: null,
    error: null,
    steps,
  };
}

function stepAt(step: ApplyStep, now: number): ApplyStep {
  const stages = step.stages.map((stage) => stageAt(stage, now));
  const failed = stages.some((stage) => stage.state === "failed");
  return { ...step, stages, state: stateOf(stages), error: failed ? step.error : null };
}

function stageAt(stage: Stage, now: number): Stage {
  if (stage.started_at === null) return stage;
  const silent = { ...stage, text: { code: "", text: "" }, detail: "", finished_at: null };
  if (Date.parse(stage.started_at) > now) return { ...silent, state: "pending", started_at: null };
  const ended = stage.finished_at !== null && Date.parse(stage.finished_at) <= now;
  return ended ? stage : { ...silent, state: "running" };
}

function stateOf(stages: readonly Stage[]): ApplyStep["state"] {
  const of = (name: Stage["stage"]) => stages.find((stage) => stage.stage === name)?.state;
  if (of("revert") === "failed") return "revert_failed";
  if (of("revert") === "done") return "reverted";
  if (stages.some((stage) => stage.state === "failed")) return "failed";
  return of("commit") === "done" ? "done" : "queued";
}

export type NodeDoing = "waits" | "works" | "switched" | "installed" | "failed" | "reverted";

/** What a node does, in one word for the drawing. */
export function nodeDoing({ stages, state }: ApplyStep): NodeDoing {
  if (state === "failed" || state === "revert_failed") return "failed";
  if (state === "reverted") return "reverted";
  if (state === "done") return "installed";
  if (stages.some((stage) => stage.state === "running")) return "works";
  return stages.some((stage) => stage.stage === "switch" && stage.state === "done") ? "switched" : "waits";
}
