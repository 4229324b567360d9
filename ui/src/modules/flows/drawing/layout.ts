import { findBlock, hasRules, isTerminal, waysFrom, type Block, type Drawing, type Position } from "./drawing";
import { snapped } from "./drawing-edits";
import { arrangedTops, type Measures } from "./order";

/** Measures of the canvas, from the visual bar. */
export const blockWidth = 180;
export const headHeight = 52;
export const rowHeight = 26;

const gap = 24;
const firstColumn = 24;
const columnGaps = { rules: 46, hop: 46, target: 92 };

export type Column = "entry" | "rules" | "hop" | "target";

export function columnOf(block: Block): Column {
  if (block.kind === "entry") return "entry";
  return isTerminal(block.kind) ? "target" : "hop";
}

export function rulesHeight(drawing: Drawing, key: string): number {
  return headHeight + waysFrom(drawing, key).length * rowHeight + 12;
}

/** The rules of a block stand right beside it. */
export function rulesPosition(position: Position): Position {
  return { x: position.x + blockWidth + columnGaps.rules, y: position.y };
}

/** Places every block: columns by what a block does, the order inside a column so that few ways cross. */
export function layout(drawing: Drawing): Record<string, Position> {
  const { rankOf, last } = ranksOf(drawing);
  const tops = arrangedTops(drawing, rankOf, measuresOf(drawing));
  const position = (block: Block) => snapped({ x: columnX(rankOf(block), last), y: tops[block.key]! });
  return raised(Object.fromEntries(drawing.nodes.map((block) => [block.key, position(block)])));
}

function measuresOf(drawing: Drawing): Measures {
  return { headHeight, rowHeight, gap, heightOf: (block) => heightOf(drawing, block) };
}

function ranksOf(drawing: Drawing): { rankOf: (block: Block) => number; last: number } {
  const ranks = rankAll(drawing);
  const inner = drawing.nodes.filter((block) => !isTerminal(block.kind));
  const ends = inner.map(
    (block) => ranks[block.key]! + (hasRules(drawing, block.key) && block.kind !== "entry" ? 1 : 0),
  );
  const last = Math.max(...ends, 2) + 1;
  return { rankOf: (block) => (isTerminal(block.kind) ? last : (ranks[block.key] ?? 0)), last };
}

const known = new WeakMap<Drawing, Record<string, Position>>();

/** The place of each block on the canvas: where it was put, or where the layout puts it. Drawings never change. */
export function positionsOf(drawing: Drawing): Record<string, Position> {
  const places = known.get(drawing) ?? placesOf(drawing);
  known.set(drawing, places);
  return places;
}

function placesOf(drawing: Drawing): Record<string, Position> {
  const placed = Object.fromEntries(
    drawing.nodes.flatMap((block) => (block.position ? [[block.key, block.position]] : [])),
  );
  if (Object.keys(placed).length === drawing.nodes.length) return placed;
  const computed = layout(drawing);
  if (Object.keys(placed).length === 0) return computed;
  for (const { key } of drawing.nodes) placed[key] ??= beside(placed, computed[key]!);
  return placed;
}

// A new block among placed ones moves down until it covers none of them.
function beside(placed: Record<string, Position>, wanted: Position): Position {
  const at = { ...wanted };
  const covers = () =>
    Object.values(placed).some(
      (other) => Math.abs(other.x - at.x) < blockWidth && Math.abs(other.y - at.y) < headHeight + gap,
    );
  while (covers()) at.y += headHeight + gap;
  return snapped(at);
}

function heightOf(drawing: Drawing, block: Block): number {
  return hasRules(drawing, block.key) ? Math.max(headHeight, rulesHeight(drawing, block.key)) : headHeight;
}

// Rank 0 is the entry, rank 1 its rules, hops follow one rank each; ends share the last one.
function rankAll(drawing: Drawing): Record<string, number> {
  const ranks: Record<string, number> = {};
  const visit = (key: string, rank: number, path: Set<string>) => {
    const block = findBlock(drawing, key);
    if (!block || isTerminal(block.kind) || path.has(key) || (ranks[key] ?? -1) >= rank) return;
    ranks[key] = rank;
    const step = rank === 0 || hasRules(drawing, key) ? 2 : 1;
    waysFrom(drawing, key).forEach((way) => visit(way.edge.to, rank + step, new Set([...path, key])));
  };
  drawing.nodes.filter((block) => block.kind === "entry").forEach((block) => visit(block.key, 0, new Set()));
  drawing.nodes.forEach((block) => {
    if (!isTerminal(block.kind)) ranks[block.key] ??= 2;
  });
  return ranks;
}

function columnX(rank: number, last: number): number {
  const step = blockWidth + columnGaps.hop;
  return rank === last ? firstColumn + (rank - 1) * step + blockWidth + columnGaps.target : firstColumn + rank * step;
}

// The topmost block stands below the names of the columns.
function raised(positions: Record<string, Position>): Record<string, Position> {
  const top = Math.min(...Object.values(positions).map((position) => position.y));
  return Object.fromEntries(
    Object.entries(positions).map(([key, position]) => [key, snapped({ x: position.x, y: position.y - top + 72 })]),
  );
}
