import { findBlock, waysFrom, type Block, type Drawing, type Edge } from "./drawing";
import { stable } from "../editor/draft/saving";

export interface FieldChange {
  field: string;
  a: string | undefined;
  b: string | undefined;
}

/** One object that differs between two drawings. */
export interface ObjectChange {
  key: string;
  op: "added" | "changed" | "removed";
  block: Block | undefined;
  edge: Edge | undefined;
  fields: FieldChange[];
}

/** What differs between two drawings, object by object. Names of blocks and where they stand do not count. */
export function compareDrawings(a: Drawing, b: Drawing): ObjectChange[] {
  const blocks = joined(a.nodes, b.nodes, (block) => block.key).map(([key, left, right]) =>
    change(key, left, right, { block: right ?? left, edge: undefined }),
  );
  const edges = joined(a.edges, b.edges, edgeKey(a, b)).map(([key, left, right]) =>
    change(key, left, right, { block: undefined, edge: right ?? left }),
  );
  return [...blocks, ...edges, ...reordered(a, b)].filter((item) => item.fields.length > 0);
}

/** Blocks that have another name of their own in the second drawing; that changes nothing of what runs. */
export function renamedBlocks(a: Drawing, b: Drawing): { key: string; from: string; to: string }[] {
  return b.nodes.flatMap(({ key, title }) => {
    const before = findBlock(a, key);
    if (!before || (before.title ?? "") === (title ?? "")) return [];
    return [{ key, from: before.title || key, to: title || key }];
  });
}

// Which rule is tried first decides what runs, so a changed order is a change of its own.
function reordered(a: Drawing, b: Drawing): ObjectChange[] {
  const orderOf = (drawing: Drawing, key: string) =>
    waysFrom(drawing, key).map((way) => `${way.edge.to} ${stable(way.edge.match)}`);
  return b.nodes.flatMap((block) => {
    const [before, after] = [orderOf(a, block.key), orderOf(b, block.key)];
    const [left, right] = [before.filter((id) => after.includes(id)), after.filter((id) => before.includes(id))];
    if (left.join() === right.join()) return [];
    const numbers = (order: string[]) => order.map((id) => before.indexOf(id) + 1).join(", ");
    return [
      {
        key: `${block.key} order`,
        op: "changed",
        block,
        edge: undefined,
        fields: [{ field: "rules", a: numbers(left), b: numbers(right) }],
      } satisfies ObjectChange,
    ];
  });
}

/** Keys of the blocks that differences are about, also through their ways. */
export function changedBlocks(changes: readonly ObjectChange[]): Set<string> {
  return new Set(changes.map((item) => item.block?.key ?? item.edge!.from));
}

// A way is the same way while it leads between the same blocks under the same condition, or under the only changed one.
function edgeKey(a: Drawing, b: Drawing) {
  const exact = (edge: Edge) => `${edge.from} ${edge.to} ${stable(edge.match)}`;
  const [inA, inB] = [new Set(a.edges.map(exact)), new Set(b.edges.map(exact))];
  const counts = new Map<string, number>();
  return (edge: Edge, side: "a" | "b") => {
    const id = exact(edge);
    if (inA.has(id) && inB.has(id)) return id;
    const loose = `${edge.from} ${edge.to}`;
    const count = (counts.get(side + loose) ?? 0) + 1;
    counts.set(side + loose, count);
    return `${loose} #${count}`;
  };
}

function joined<Item>(
  a: readonly Item[],
  b: readonly Item[],
  keyOf: (item: Item, side: "a" | "b") => string,
): [string, Item | undefined, Item | undefined][] {
  const left = new Map(a.map((item) => [keyOf(item, "a"), item]));
  const right = new Map(b.map((item) => [keyOf(item, "b"), item]));
  return [...new Set([...left.keys(), ...right.keys()])].map((key) => [key, left.get(key), right.get(key)]);
}

function change<Item extends Block | Edge>(
  key: string,
  a: Item | undefined,
  b: Item | undefined,
  what: Pick<ObjectChange, "block" | "edge">,
): ObjectChange {
  const [left, right] = [flat(a), flat(b)];
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  const fields = names
    .filter((name) => left[name] !== right[name])
    .map((field) => ({ field, a: left[field], b: right[field] }));
  return { key, op: a === undefined ? "added" : b === undefined ? "removed" : "changed", ...what, fields };
}

// Names and places change nothing of what runs; the panel counts in the same way.
const unseen = new Set(["key", "title", "position", "from", "priority"]);

function flat(item: object | undefined, prefix = ""): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(item ?? {})) {
    if (prefix === "" && unseen.has(name)) continue;
    const path = prefix + name;
    if (value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)) continue;
    if (Array.isArray(value)) out[shortened(path)] = value.join(", ");
    else if (typeof value === "object") Object.assign(out, flat(value, `${path}.`));
    else out[shortened(path)] = String(value);
  }
  return out;
}

function shortened(path: string): string {
  return path.replace(/^params\./, "");
}
