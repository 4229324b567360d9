import type { Rings, RingsChange } from "./api";

/** What the form of the rings holds; the last ring is the rest and has no size of its own. */
export interface RingsDraft {
  sizes: (number | string)[];
  first: string[];
  pause: number | string;
  parallel: number | string;
}

export const mostRings = 6;
const bounds = { nodes: [1, 10_000], share: [1, 99], pause: [0, 604_800], parallel: [1, 200] } as const;

export function draftOf(rings: Rings): RingsDraft {
  return {
    sizes: rings.rings.slice(0, -1).map((ring) => ring.size),
    first: rings.first.map((node) => node.id),
    pause: rings.pause_seconds,
    parallel: rings.parallel,
  };
}

const within = (value: number | string, [low, high]: readonly [number, number]) =>
  typeof value === "number" && Number.isInteger(value) && value >= low && value <= high;

export type Wrong = "nodes" | "share" | "rising" | "pause" | "parallel";

/** What is wrong, by the id of the field. */
export function problemsOf(draft: RingsDraft): Record<string, Wrong> {
  const wrong: Record<string, Wrong> = {};
  draft.sizes.forEach((size, at) => {
    const before = draft.sizes[at - 1];
    if (at === 0 && !within(size, bounds.nodes)) wrong["ring-1"] = "nodes";
    if (at > 0 && !within(size, bounds.share)) wrong[`ring-${at + 1}`] = "share";
    else if (at > 1 && typeof before === "number" && Number(size) <= before) wrong[`ring-${at + 1}`] = "rising";
  });
  if (!within(draft.pause, bounds.pause)) wrong["ring-pause"] = "pause";
  if (!within(draft.parallel, bounds.parallel)) wrong["ring-parallel"] = "parallel";
  return wrong;
}

export function changeOf(draft: RingsDraft, revision: number): RingsChange {
  const sizes = draft.sizes.map(Number);
  return {
    sizes: [...sizes, sizes.length === 0 ? 1 : 100],
    first_nodes: draft.first,
    pause_seconds: Number(draft.pause),
    parallel: Number(draft.parallel),
    revision,
  };
}

/** A further ring reaches half way from the one before to all. */
export function withRing(sizes: RingsDraft["sizes"]): RingsDraft["sizes"] {
  if (sizes.length === 0) return [1];
  const last = sizes.length === 1 ? 0 : Number(sizes.at(-1)) || 0;
  return [...sizes, Math.min(99, Math.ceil((last + 100) / 2))];
}

/** How many of so many nodes each ring has; like the panel, every ring has one as long as there are any. */
export function countsOf(nodes: number, sizes: RingsDraft["sizes"]): number[] {
  let end = 0;
  return [...sizes, 100].map((size, at) => {
    const begin = end;
    const reach =
      at === sizes.length
        ? nodes
        : at === 0
          ? Number(size)
          : Math.max(end + 1, Math.ceil((nodes * Number(size)) / 100));
    end = Math.max(begin, Math.min(nodes, reach || 0));
    return end - begin;
  });
}
