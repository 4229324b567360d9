import { hasRules, isTerminal, waysFrom, type Drawing, type Position } from "./drawing";
import { blockWidth, headHeight, rowHeight, rulesHeight, rulesPosition } from "./layout";

/**
 * The lines of the ways on the canvas: from port to port, past the blocks that stand between rather than behind them.
 */

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Range {
  top: number;
  bottom: number;
}

/** Blocks one above the other, and what of their height is taken by blocks and ways. */
interface Column {
  left: number;
  right: number;
  taken: Range[];
}

interface Piece {
  from: Position;
  to: Position;
}

const margin = 14;
/** The room between two columns in which a way does not change its height without need. */
const nearby = 64;

/** The corners of each way by its index, both ends included. */
export function routesOf(drawing: Drawing, positions: Record<string, Position>): Map<number, Position[]> {
  const columns = columnsOf(boxesOf(drawing, positions)).map((boxes): Column => ({
    ...frameOf(boxes),
    taken: boxes.map(withMargin),
  }));
  const ends = drawing.nodes
    .flatMap((block) => endsOf(drawing, block.key, positions))
    .sort((a, b) => a.from.y - b.from.y);
  const passed = new Map(
    ends.map((way) => [way.index, columns.filter((column) => column.left >= way.from.x && column.right <= way.to.x)]),
  );
  const drawn: Piece[] = ends.filter((way) => passed.get(way.index)!.length === 0);
  return new Map(
    ends.map(({ index, from, to }) => {
      const corners = [from, ...passing(passed.get(index)!, drawn, from, to), to];
      if (corners.length > 2) drawn.push(...piecesOf(corners));
      return [index, corners];
    }),
  );
}

function endsOf(
  drawing: Drawing,
  key: string,
  positions: Record<string, Position>,
): { index: number; from: Position; to: Position }[] {
  const at = positions[key];
  if (!at) return [];
  const rules = hasRules(drawing, key);
  return waysFrom(drawing, key).flatMap(({ index, edge }, row) => {
    const target = positions[edge.to];
    if (!target) return [];
    const from = rules
      ? { x: rulesPosition(at).x + blockWidth, y: at.y + headHeight + 6 + row * rowHeight + rowHeight / 2 }
      : { x: at.x + blockWidth, y: at.y + headHeight / 2 };
    return [{ index, from, to: { x: target.x, y: target.y + headHeight / 2 } }];
  });
}

function boxesOf(drawing: Drawing, positions: Record<string, Position>): Box[] {
  return drawing.nodes.flatMap(({ key, kind }) => {
    const at = positions[key];
    if (!at) return [];
    const box = { left: at.x, right: at.x + blockWidth, top: at.y, bottom: at.y + headHeight };
    if (isTerminal(kind) || !hasRules(drawing, key)) return [box];
    const rules = rulesPosition(at);
    return [box, { left: rules.x, right: rules.x + blockWidth, top: at.y, bottom: at.y + rulesHeight(drawing, key) }];
  });
}

/** Boxes that stand one above the other, from left to right. */
function columnsOf(boxes: Box[]): Box[][] {
  const columns: Box[][] = [];
  let right = -Infinity;
  for (const box of [...boxes].sort((a, b) => a.left - b.left)) {
    if (box.left >= right) columns.push([]);
    columns.at(-1)!.push(box);
    right = columns.at(-1)!.length === 1 ? box.right : Math.max(right, box.right);
  }
  return columns;
}

function frameOf(boxes: Box[]): { left: number; right: number } {
  return { left: Math.min(...boxes.map((box) => box.left)), right: Math.max(...boxes.map((box) => box.right)) };
}

function withMargin({ top, bottom }: Box): Range {
  return { top: top - margin, bottom: bottom + margin };
}

// Each column between the ends is passed where it is free: with few crossings, then near to the straight line.
function passing(columns: Column[], drawn: Piece[], from: Position, to: Position): Position[] {
  const corners: Position[] = [];
  let last = from;
  for (const column of columns) {
    const straight = heightAt({ from: last, to }, (column.left + column.right) / 2);
    // From one column to the next a way goes on at its height where it can, rather than in a short kink.
    const wanted = corners.length > 0 && column.left - last.x < nearby ? last.y : straight;
    const through = (y: number) =>
      [
        { x: column.left - margin, y },
        { x: column.right + margin, y },
      ] as const;
    const y = fewest(freeHeights(column.taken, wanted), (candidate, most) => {
      const [enter, leave] = through(candidate);
      const [before, after] = [
        { from: last, to: enter },
        { from: leave, to },
      ];
      let count = 0;
      for (const piece of drawn) {
        if (count >= most) break;
        if (crosses(piece, before) || crosses(piece, after)) count += 1;
      }
      return count;
    });
    column.taken.push({ top: y - margin / 2, bottom: y + margin / 2 });
    corners.push(...through(y));
    last = through(y)[1];
  }
  return corners;
}

// Where a column is free, the nearest to the wanted height first.
function freeHeights(taken: Range[], wanted: number): number[] {
  const free = (y: number) => taken.every((range) => y <= range.top || y >= range.bottom);
  const heights = [wanted, ...taken.flatMap((range) => [range.top, range.bottom])].filter(free);
  return heights.sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted)).slice(0, 6);
}

// Counting may stop where a candidate is no better than the best one before.
function fewest(candidates: number[], count: (candidate: number, most: number) => number): number {
  let [best, least] = [candidates[0]!, Infinity];
  for (const candidate of candidates) {
    const found = count(candidate, least);
    if (found < least) [best, least] = [candidate, found];
    if (found === 0) break;
  }
  return best;
}

function piecesOf(corners: Position[]): Piece[] {
  return corners.slice(1).map((to, at) => ({ from: corners[at]!, to }));
}

/** How many pairs of ways cross on the canvas. */
export function countCrossings(drawing: Drawing, positions: Record<string, Position>): number {
  const pieces = [...routesOf(drawing, positions)].flatMap(([way, corners]) =>
    piecesOf(corners).map((piece) => ({ ...piece, way })),
  );
  let count = 0;
  pieces.forEach((one, at) =>
    pieces.slice(at + 1).forEach((other) => (count += Number(one.way !== other.way && crosses(one, other)))),
  );
  return count;
}

// Pieces that only touch at a common end do not cross.
function crosses(one: Piece, other: Piece): boolean {
  const left = Math.max(one.from.x, other.from.x);
  const right = Math.min(one.to.x, other.to.x);
  if (left >= right) return false;
  return (heightAt(one, left) - heightAt(other, left)) * (heightAt(one, right) - heightAt(other, right)) < -1e-6;
}

function heightAt({ from, to }: Piece, x: number): number {
  return from.y + ((to.y - from.y) * (x - from.x)) / (to.x - from.x);
}
