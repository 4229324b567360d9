import { findBlock, hasRules, isTerminal, waysFrom, type Block, type Drawing, type Way } from "../../drawing/drawing";

/** One line of the outline: a block, or a way of a block that has rules. */
export type OutlineRow = {
  id: string;
  level: number;
  parent: string | undefined;
  children: number;
  repeated: boolean;
  folded: boolean;
} & ({ kind: "block"; block: Block } | { kind: "way"; way: Way; owner: Block; position: number; ways: number });

/**
 * The drawing as a tree, entries first; an end behind a rule is folded by default, the rule already names it. A block
 * that several ways lead to is open at the first and named at the others.
 */
export function outlineOf(
  drawing: Drawing,
  isFolded: (id: string, byDefault: boolean) => boolean = (_, byDefault) => byDefault,
): OutlineRow[] {
  const rows: OutlineRow[] = [];
  const shown = new Set<string>();
  const addBlock = (block: Block, level: number, parent: string | undefined) => {
    const repeated = shown.has(block.key);
    shown.add(block.key);
    const ways = waysFrom(drawing, block.key);
    const id = parent ? `${parent}/${block.key}` : block.key;
    const folded = ways.length > 0 && isFolded(id, false);
    rows.push({ id, level, parent, kind: "block", block, repeated, children: repeated ? 0 : ways.length, folded });
    if (repeated) return;
    if (folded) return markShown(block.key);
    const rules = hasRules(drawing, block.key);
    ways.forEach((way, position) => {
      const next = findBlock(drawing, way.edge.to);
      if (rules) addWay(way, block, position, ways.length, level + 1, id);
      else if (next) addBlock(next, level + 1, id);
    });
  };
  const addWay = (way: Way, owner: Block, position: number, ways: number, level: number, parent: string) => {
    const id = `${parent}/way-${way.index}`;
    const next = findBlock(drawing, way.edge.to);
    const inner = next !== undefined && !shown.has(next.key);
    const folded = inner && isFolded(id, isTerminal(next.kind));
    rows.push({
      id,
      level,
      parent,
      kind: "way",
      way,
      owner,
      position,
      ways,
      repeated: false,
      children: inner ? 1 : 0,
      folded,
    });
    if (!inner) return;
    if (folded) return markShown(next.key);
    addBlock(next, level + 1, id);
  };
  // What is folded away is still shown by its fold, and must not come up again as a stray.
  const markShown = (key: string) => {
    shown.add(key);
    waysFrom(drawing, key).forEach((way) => !shown.has(way.edge.to) && markShown(way.edge.to));
  };
  drawing.nodes.filter((block) => block.kind === "entry").forEach((block) => addBlock(block, 0, undefined));
  drawing.nodes.forEach((block) => !shown.has(block.key) && addBlock(block, 0, undefined));
  return rows;
}
