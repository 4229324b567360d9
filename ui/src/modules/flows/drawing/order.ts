import { findBlock, hasRules, isTerminal, waysFrom, type Block, type Drawing } from "./drawing";

/**
 * The order of blocks in the columns of an arranged drawing, and how far down each one stands.
 *
 * A layered layout that knows ports: the rules of a block leave it from top to bottom, so their targets stand in the
 * same order. Columns are swept forth and back by barycentres of ports, neighbours are exchanged while that takes
 * crossings away.
 */

export interface Measures {
  headHeight: number;
  rowHeight: number;
  gap: number;
  heightOf: (block: Block) => number;
}

/** A straight piece of a way, from one column into a later one. Offsets count from the top of the item at that end. */
interface Line {
  from: string;
  fromOffset: number;
  to: string;
  toOffset: number;
}

/** Blocks, and one lane for each column that a long way passes, in their columns. */
interface Graph {
  columns: string[][];
  heights: Record<string, number>;
  columnOf: Record<string, number>;
  into: Record<string, Line[]>;
  outOf: Record<string, Line[]>;
  lines: Line[];
  gap: number;
}

const laneHeight = 16;
const sweeps = 8;
const swapPasses = 6;

/** The distance of each block from the top, so that few ways cross and each block is near what it is connected with. */
export function arrangedTops(
  drawing: Drawing,
  columnOf: (block: Block) => number,
  measures: Measures,
): Record<string, number> {
  const graph = graphOf(drawing, columnOf, measures);
  let columns = graph.columns;
  let best = columns;
  let fewest = Infinity;
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep += 1) {
    columns = swept(graph, columns, sweep % 2 === 0);
    const improved = exchanged(graph, columns);
    const count = countCrossings(graph, stacked(graph, improved));
    if (count < fewest) [best, fewest] = [improved, count];
  }
  return placed(graph, best);
}

function graphOf(drawing: Drawing, columnOf: (block: Block) => number, measures: Measures): Graph {
  const graph: Graph = { columns: [], heights: {}, columnOf: {}, into: {}, outOf: {}, lines: [], gap: measures.gap };
  drawing.nodes.forEach((block) => addItem(graph, block.key, columnOf(block), measures.heightOf(block)));
  drawing.nodes.filter((block) => !isTerminal(block.kind)).forEach((block) => addWays(graph, drawing, block, measures));
  return graph;
}

function addItem(graph: Graph, key: string, column: number, height: number): void {
  while (graph.columns.length <= column) graph.columns.push([]);
  graph.columns[column]!.push(key);
  graph.columnOf[key] = column;
  graph.heights[key] = height;
  graph.into[key] = [];
  graph.outOf[key] = [];
}

// A way that passes a column with blocks gets a lane there.
function addWays(graph: Graph, drawing: Drawing, block: Block, { headHeight, rowHeight }: Measures): void {
  const rules = hasRules(drawing, block.key);
  const taken = new Set(drawing.nodes.map(({ key }) => graph.columnOf[key]!));
  waysFrom(drawing, block.key).forEach(({ edge, index }, row) => {
    if (!findBlock(drawing, edge.to)) return;
    let [from, fromOffset] = [block.key, rules ? headHeight + 6 + row * rowHeight + rowHeight / 2 : headHeight / 2];
    for (let column = graph.columnOf[from]! + 1; column < graph.columnOf[edge.to]!; column += 1) {
      if (!taken.has(column)) continue;
      const lane = `lane:${index}:${column}`;
      addItem(graph, lane, column, laneHeight);
      addLine(graph, { from, fromOffset, to: lane, toOffset: laneHeight / 2 });
      [from, fromOffset] = [lane, laneHeight / 2];
    }
    addLine(graph, { from, fromOffset, to: edge.to, toOffset: headHeight / 2 });
  });
}

function addLine(graph: Graph, line: Line): void {
  graph.lines.push(line);
  graph.outOf[line.from]!.push(line);
  graph.into[line.to]!.push(line);
}

// Each column is sorted by where its lines come from, seen from the side that is already ordered.
function swept(graph: Graph, columns: string[][], forth: boolean): string[][] {
  const next = columns.map((column) => [...column]);
  const order = forth ? [...next.keys()] : [...next.keys()].reverse();
  for (const at of order) {
    const tops = stacked(graph, next);
    const wanted = Object.fromEntries(next[at]!.map((key) => [key, barycentre(graph, key, tops, forth) ?? tops[key]!]));
    next[at]!.sort((a, b) => wanted[a]! - wanted[b]!);
  }
  return next;
}

function barycentre(graph: Graph, key: string, tops: Record<string, number>, forth: boolean): number | undefined {
  const lines = forth ? graph.into[key]! : graph.outOf[key]!;
  if (lines.length === 0) return undefined;
  const wish = (line: Line) =>
    forth ? tops[line.from]! + line.fromOffset - line.toOffset : tops[line.to]! + line.toOffset - line.fromOffset;
  return lines.reduce((sum, line) => sum + wish(line), 0) / lines.length;
}

function exchanged(graph: Graph, columns: string[][]): string[][] {
  const next = columns.map((column) => [...column]);
  const tops = stacked(graph, next);
  for (let pass = 0; pass < swapPasses; pass += 1) {
    const changes = next.map((column) => exchangeNeighbours(graph, column, tops));
    if (!changes.includes(true)) break;
  }
  return next;
}

function exchangeNeighbours(graph: Graph, column: string[], tops: Record<string, number>): boolean {
  let changed = false;
  for (let at = 0; at + 1 < column.length; at += 1) {
    const [upper, lower] = [column[at]!, column[at + 1]!];
    const before = crossingsBetween(graph, upper, lower, tops);
    if (before === 0) continue;
    const [top, below] = [tops[upper]!, tops[lower]!];
    tops[lower] = top;
    tops[upper] = top + graph.heights[lower]! + graph.gap;
    if (crossingsBetween(graph, upper, lower, tops) < before) {
      [column[at], column[at + 1]] = [lower, upper];
      changed = true;
    } else [tops[upper], tops[lower]] = [top, below];
  }
  return changed;
}

// Only crossings among the lines of the two change when they change places.
function crossingsBetween(graph: Graph, a: string, b: string, tops: Record<string, number>): number {
  let count = 0;
  for (const side of [graph.into, graph.outOf])
    for (const one of side[a]!) for (const other of side[b]!) if (cross(graph, one, other, tops)) count += 1;
  return count;
}

function countCrossings(graph: Graph, tops: Record<string, number>): number {
  let count = 0;
  for (const [at, one] of graph.lines.entries())
    for (let next = at + 1; next < graph.lines.length; next += 1)
      if (cross(graph, one, graph.lines[next]!, tops)) count += 1;
  return count;
}

// Lines between the same two columns cross when their ends stand in opposite orders; a longer line has lanes between.
function cross(graph: Graph, one: Line, other: Line, tops: Record<string, number>): boolean {
  const { columnOf } = graph;
  if (columnOf[one.from] !== columnOf[other.from] || columnOf[one.to] !== columnOf[other.to]) return false;
  const atStart = tops[one.from]! + one.fromOffset - tops[other.from]! - other.fromOffset;
  const atEnd = tops[one.to]! + one.toOffset - tops[other.to]! - other.toOffset;
  return atStart * atEnd < 0;
}

function stacked(graph: Graph, columns: string[][]): Record<string, number> {
  const tops: Record<string, number> = {};
  for (const column of columns) {
    let top = 0;
    for (const key of column) {
      tops[key] = top;
      top += graph.heights[key]! + graph.gap;
    }
  }
  return tops;
}

// Each block moves towards its neighbours as far as the order and the gaps allow.
function placed(graph: Graph, columns: string[][]): Record<string, number> {
  const tops = stacked(graph, columns);
  for (const forth of [true, false, true, true]) {
    for (const column of forth ? columns : [...columns].reverse()) {
      const wanted = column.map((key) => barycentre(graph, key, tops, forth) ?? tops[key]!);
      const found = nearest(
        wanted,
        column.map((key) => graph.heights[key]! + graph.gap),
      );
      column.forEach((key, at) => (tops[key] = found[at]!));
    }
  }
  return tops;
}

/** The distances nearest to the wanted ones (least squares) that keep order and steps: pool adjacent violators. */
function nearest(wanted: number[], steps: number[]): number[] {
  const before = steps.map((_, at) => steps.slice(0, at).reduce((sum, step) => sum + step, 0));
  const pools: { sum: number; size: number }[] = [];
  wanted.forEach((value, at) => {
    let pool = { sum: value - before[at]!, size: 1 };
    for (let last = pools.at(-1); last && last.sum / last.size > pool.sum / pool.size; last = pools.at(-1)) {
      pools.pop();
      pool = { sum: pool.sum + last.sum, size: pool.size + last.size };
    }
    pools.push(pool);
  });
  const free = pools.flatMap(({ sum, size }) => Array<number>(size).fill(sum / size));
  return free.map((value, at) => value + before[at]!);
}
