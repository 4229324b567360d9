import { isFresh, sumOf, type Load } from "@/components/text/carried";
import { stable } from "../editor/draft/saving";
import type { Drawing, Edge } from "../drawing/drawing";
import type { Traffic } from "./api";

const wayOf = (edge: Edge) => `${edge.from} ${edge.to} ${stable(edge.match)}`;

const rateOf = (load: Pick<Load, "up_bps" | "down_bps">) => (load.up_bps ?? 0) + (load.down_bps ?? 0);

/** What is measured now and says how things are. */
function fresh<Item extends Omit<Load, "sessions">>(traffic: Traffic, items: readonly Item[]): Item[] {
  const now = Date.parse(traffic.at);
  return items.filter((item) => isFresh({ ...item, sessions: null }, now, traffic.stale_after_s));
}

/**
 * Bits per second over each way of a drawing, by its index, both directions together. Measured are the ways of the
 * installed version; a way that was drawn since, or has another condition, carries nothing yet.
 */
export function loadsOfWays(
  traffic: Traffic | undefined,
  installed: Drawing | undefined,
  drawing: Drawing,
): Map<number, number> {
  const loads = new Map<number, number>();
  if (!traffic || !installed) return loads;
  const carried = new Map<string, number>();
  for (const measured of fresh(traffic, traffic.edges)) {
    const edge = installed.edges[measured.index];
    if (edge) carried.set(wayOf(edge), (carried.get(wayOf(edge)) ?? 0) + rateOf(measured));
  }
  drawing.edges.forEach((edge, index) => {
    const load = carried.get(wayOf(edge));
    if (load !== undefined) loads.set(index, load);
  });
  return loads;
}

export interface AtStake {
  /** Open on the entries of these nodes; undefined where nobody counts them. */
  sessions: number | undefined;
  /** Bits per second through these nodes, undefined where nobody measures them. */
  rate: number | undefined;
}

/** What runs now over nodes that an apply touches. */
export function atStake(traffic: Traffic | undefined, nodeIds: readonly string[]): AtStake {
  if (!traffic) return { sessions: undefined, rate: undefined };
  const there = <Item extends { node_id: string }>(items: readonly Item[]) =>
    items.filter((item) => nodeIds.includes(item.node_id));
  const entries = fresh(traffic, there(traffic.entries));
  const edges = fresh(traffic, there(traffic.edges));
  const sum = sumOf(entries);
  const through = entries.length > 0 ? [sum] : edges;
  return {
    sessions: sum.sessions ?? undefined,
    rate: through.length > 0 ? through.reduce((all, one) => all + rateOf(one), 0) : undefined,
  };
}

/** How wide a line is drawn: thin where nothing is known, wider by the order of magnitude of what it carries. */
export function lineWidth(rate: number | undefined): number | undefined {
  if (rate === undefined) return undefined;
  return 1.4 + Math.min(6, Math.max(0, Math.log10(Math.max(1, rate)) - 4) * 1.1);
}

const namedWays = 3;

/** The ways out of each block that carry the most; the others are told when they are chosen. */
export function busiest(loads: ReadonlyMap<number, number>, drawing: Drawing): Set<number> {
  const of = new Map<string, number[]>();
  for (const [index, rate] of loads) {
    const from = drawing.edges[index]?.from;
    if (from !== undefined && rate > 0) of.set(from, [...(of.get(from) ?? []), index]);
  }
  return new Set(
    [...of.values()].flatMap((ways) => ways.sort((a, b) => loads.get(b)! - loads.get(a)!).slice(0, namedWays)),
  );
}
