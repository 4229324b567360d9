import type { GlyphKind } from "@/components/status/glyph";
import type { ApplyStep, Flow, Server, Stage } from "./api";

/** The configuration axis of a flow: what is installed against what is wanted. */
export type ConfigState =
  "applying" | "apply_failed" | "never" | "disabled" | "drifted" | "draft" | "clients" | "in_sync";

/** `changes` of the draft, where a screen has newer ones than the panel has counted; see `draftChanges`. */
export function configState(flow: Flow, changes = draftChanges(flow)): ConfigState {
  if (flow.state === "applying") return "applying";
  if (flow.state === "apply_failed") return "apply_failed";
  if (flow.installed_revision === null) return "never";
  if (!flow.enabled) return "disabled";
  if (flow.drift.state === "drifted") return "drifted";
  if (changes !== 0 && flow.draft_revision !== flow.installed_revision) return "draft";
  return waitingClients(flow) > 0 ? "clients" : "in_sync";
}

/** In how much the draft differs from what is installed; a draft of a newer revision that nobody counted is unknown. */
export function draftChanges(flow: Pick<Flow, "draft_changes">): number | undefined {
  return flow.draft_changes ?? undefined;
}

/** Clients that only an apply lets in, or out. */
export const waitingClients = (flow: Pick<Flow, "client_counts">): number => flow.client_counts.waiting;

/** Whether clients are served by an installed version. */
export function serves(flow: Pick<Flow, "installed_revision" | "enabled">): boolean {
  return flow.installed_revision !== null && flow.enabled;
}

export const configGlyph: Record<ConfigState, GlyphKind> = {
  applying: "applying",
  apply_failed: "failed",
  never: "never",
  disabled: "skipped",
  drifted: "drifted",
  draft: "draft",
  clients: "draft",
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

/** Health is asked of flows that serve; nothing heard of such a flow is trouble as well. */
export function needsWork(flow: Flow, axis: "config" | "health"): boolean {
  if (axis === "health") return serves(flow) && flow.health_state !== "healthy";
  return !["in_sync", "disabled"].includes(configState(flow));
}

const healths: Flow["health_state"][] = ["down", "degraded", "unknown"];
const configs: ConfigState[] = [
  "apply_failed",
  "drifted",
  "applying",
  "clients",
  "draft",
  "in_sync",
  "disabled",
  "never",
];

/** The order of a list that begins with what needs somebody most. */
export function worstFirst(a: Flow, b: Flow): number {
  return urgency(a) - urgency(b) || a.name.localeCompare(b.name);
}

function urgency(flow: Flow): number {
  const config = configs.indexOf(configState(flow));
  const health = healths.indexOf(flow.health_state);
  if (needsWork(flow, "health")) return health * 10 + config;
  return 100 + config;
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
