import { onGrid, timeGrid } from "@/components/chart/chart-data";
import type { Apply, Replay } from "../shared/api";

/** A line of open sessions for each node of an apply, on one grid of times in seconds since 1970. */
export interface Sessions {
  times: number[];
  lines: { name: string; values: (number | null)[] }[];
}

const mostLines = 5;

/** Entries stand first, for what they lose is what clients lose; a chart of more than five lines is not read. */
export function sessionsOf(apply: Apply, replay: Replay): Sessions {
  const { step_seconds: step } = replay;
  const times = timeGrid(seconds(replay.from), seconds(replay.to), step);
  const measured = apply.steps
    .toSorted((a, b) => Number(b.role === "entry") - Number(a.role === "entry"))
    .flatMap(({ node_id, node_name: name }) => {
      const node = replay.nodes.find((one) => one.node_id === node_id);
      return node ? [{ name, values: onGrid(node.sessions, times, step) }] : [];
    });
  return { times, lines: measured.slice(0, mostLines) };
}

export type Story =
  | { kind: "unknown" }
  | { kind: "held"; before: number; least: number }
  | { kind: "fell"; before: number; least: number; at: number }
  | { kind: "returned"; before: number; least: number; at: number; again: number; back: number };

// Clients come and go by themselves: less than a tenth is no fall.
const falls = 0.9;

/** How the sessions on the entries went: what was there before, the least since, and when they were back. */
export function storyOf(apply: Apply, replay: Replay): Story {
  const entries = new Set(apply.steps.filter((step) => step.role === "entry").map((step) => step.node_id));
  const sums = sumOf(replay.nodes.filter((node) => entries.has(node.node_id)));
  const began = seconds(apply.started_at);
  const before = sums.findLast(([at]) => at <= began - replay.step_seconds)?.[1];
  const since = sums.filter(([at]) => at > began - replay.step_seconds);
  const [at, least] = since.reduce((low, one) => (one[1] < low[1] ? one : low), since[0] ?? [0, 0]);
  if (before === undefined || since.length === 0) return { kind: "unknown" };
  if (least >= before * falls) return { kind: "held", before, least };
  const again = since.find(([later, open]) => later > at && open >= before * falls);
  return again
    ? { kind: "returned", before, least, at, again: again[0], back: again[1] }
    : { kind: "fell", before, least, at };
}

/** Times at which every node was measured, with the sum of all. */
function sumOf(nodes: Replay["nodes"]): [at: number, open: number][] {
  const sums = new Map<number, { open: number; nodes: number }>();
  for (const { at, value } of nodes.flatMap((node) => node.sessions)) {
    const { open, nodes: known } = sums.get(seconds(at)) ?? { open: 0, nodes: 0 };
    sums.set(seconds(at), { open: open + value, nodes: known + 1 });
  }
  return [...sums]
    .filter(([, sum]) => sum.nodes === nodes.length)
    .map(([at, sum]): [number, number] => [at, sum.open])
    .sort(([a], [b]) => a - b);
}

const seconds = (iso: string) => Date.parse(iso) / 1000;
