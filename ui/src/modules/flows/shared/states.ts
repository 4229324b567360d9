import type { GlyphKind } from "@/components/status/glyph";
import type { ApplyStep, Flow, Server, Stage } from "./api";

/** The configuration axis of a flow: what is installed against what is wanted. */
export type ConfigState = "applying" | "apply_failed" | "never" | "disabled" | "drifted" | "draft" | "in_sync";

export function configState(flow: Flow, unchanged = false): ConfigState {
  if (flow.state === "applying") return "applying";
  if (flow.state === "apply_failed") return "apply_failed";
  if (flow.installed_revision === null) return "never";
  if (!flow.enabled) return "disabled";
  if (flow.drift.state === "drifted") return "drifted";
  return flow.draft_revision !== flow.installed_revision && !unchanged ? "draft" : "in_sync";
}

export const configGlyph: Record<ConfigState, GlyphKind> = {
  applying: "applying",
  apply_failed: "failed",
  never: "never",
  disabled: "skipped",
  drifted: "drifted",
  draft: "draft",
  in_sync: "in-sync",
};

export const healthGlyph: Record<Flow["health_state"], GlyphKind> = {
  unknown: "no-data",
  healthy: "healthy",
  degraded: "degraded",
  down: "down",
};

export const serverGlyph: Record<Server["state"], GlyphKind> = {
  online: "healthy",
  degraded: "degraded",
  offline: "down",
  maintenance: "maintenance",
  pending: "no-data",
  disabled: "no-data",
};

export function needsWork(flow: Flow, axis: "config" | "health"): boolean {
  return axis === "config"
    ? !["in_sync", "disabled"].includes(configState(flow))
    : flow.health_state === "degraded" || flow.health_state === "down";
}

/** How much of an apply is behind, in percent. */
export function applyProgress(steps: readonly ApplyStep[]): number {
  const stages = steps.flatMap((step) => step.stages.filter((stage) => stage.stage !== "revert"));
  if (stages.length === 0) return 0;
  const done = stages.filter((stage) => stage.state === "done" || stage.state === "skipped").length;
  return (done / stages.length) * 100;
}

/** Length of a stage in seconds, up to now while it runs. */
export function stageSeconds(stage: Stage, now: number): number | undefined {
  if (!stage.started_at) return undefined;
  const end = stage.finished_at ? Date.parse(stage.finished_at) : now;
  return Math.max(0, (end - Date.parse(stage.started_at)) / 1000);
}
