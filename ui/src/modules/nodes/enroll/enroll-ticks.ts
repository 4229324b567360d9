import type { NodeDetail } from "../shared/types";

export type TickState = "done" | "running" | "waiting" | "failed";

export interface Tick {
  key: "installed" | "enrolled" | "core" | "telemetry" | "clock";
  state: TickState;
  at?: string;
}

const tolerableSkew = 1000;

/** What has happened on the way from a pasted command to a working node, told only from what the agent reported. */
export function enrollTicks(node: NodeDetail | undefined): Tick[] {
  const enrolled = node !== undefined && node.agent.enrolled_at !== null;
  const reporting = enrolled && node.agent.last_seen_at !== null;
  const coreKnown = reporting && node.core.state !== "unknown";
  const measured = node?.metrics != null;
  const skewed = reporting && Math.abs(node.agent.clock_skew_ms) > tolerableSkew;
  const steps: (Tick & { reached: boolean })[] = [
    { key: "enrolled", reached: enrolled, state: "done", at: node?.agent.enrolled_at ?? undefined },
    { key: "installed", reached: reporting, state: "done", at: node?.agent.last_seen_at ?? undefined },
    { key: "core", reached: coreKnown, state: node?.core.state === "failed" ? "failed" : "done" },
    { key: "telemetry", reached: measured, state: "done", at: node?.metrics?.observed_at },
    { key: "clock", reached: measured, state: skewed ? "failed" : "done" },
  ];
  const next = steps.findIndex((step) => !step.reached);
  return steps.map(({ key, reached, state, at }, index) =>
    reached ? { key, state, at } : { key, state: index === next ? "running" : "waiting" },
  );
}

export function isComplete(ticks: Tick[]): boolean {
  return ticks.every((tick) => tick.state === "done" || tick.state === "failed");
}
