import type { Edge as Line, Node as Shape } from "@xyflow/react";
import { hasRules, litEdges, waysFrom, type Block, type Drawing, type Position } from "../../drawing/drawing";
import type { Chosen } from "../draft/draft-store";
import { blockWidth, headHeight, positionsOf, rowHeight, rulesHeight, rulesPosition } from "../../drawing/layout";

export type BlockShape = Shape<{ block: Block }, "block">;
export type RulesShape = Shape<{ owner: Block; ways: { index: number }[] }, "rules">;
export type CanvasShape = BlockShape | RulesShape;
export type WayLine = Line<
  { index: number | undefined; lit: boolean; label?: string; width?: number; quiet: boolean; corners?: Position[] },
  "way"
>;

/** Ids of the canvas: a block has its key, its rules `rules:key`, a way `way:index`, the line to rules `into:key`. */
export const rulesId = (key: string) => `rules:${key}`;
export const ownerOf = (id: string) => id.replace(/^rules:/, "");
export const newWay = "new";

const portSize = 9;

function port(id: string | null, type: "source" | "target", y: number) {
  return {
    id,
    type,
    position: (type === "source" ? "right" : "left") as never,
    x: type === "source" ? blockWidth - portSize / 2 : -portSize / 2,
    y: y - portSize / 2,
    width: portSize,
    height: portSize,
  };
}

/** The shapes of the canvas for a drawing. Positions being dragged win over stored ones. */
export function shapesOf(drawing: Drawing, dragged: Record<string, Position>, movable: boolean): CanvasShape[] {
  const positions = { ...positionsOf(drawing), ...dragged };
  return drawing.nodes.flatMap((block): CanvasShape[] => {
    const position = positions[block.key]!;
    const rules = hasRules(drawing, block.key);
    const shape: BlockShape = {
      id: block.key,
      type: "block",
      position,
      data: { block },
      draggable: movable,
      ...sized(headHeight, blockPorts(block)),
    };
    return rules ? [shape, rulesShape(drawing, block, position)] : [shape];
  });
}

/** The shapes with those selected that are chosen; the others stay the same objects and are not drawn again. */
export function chosenAmong(shapes: readonly CanvasShape[], chosen: Chosen): CanvasShape[] {
  const withRules = new Set(shapes.flatMap((shape) => (shape.type === "rules" ? [ownerOf(shape.id)] : [])));
  const isSelected = (shape: CanvasShape) => {
    const owner = ownerOf(shape.id);
    if (!chosen.blocks.includes(owner)) return false;
    return shape.type === "rules" ? chosen.rules === true : !(withRules.has(owner) && chosen.rules);
  };
  return shapes.map((shape) => (isSelected(shape) ? { ...shape, selected: true } : shape));
}

function rulesShape(drawing: Drawing, owner: Block, position: Position): RulesShape {
  const ways = waysFrom(drawing, owner.key).map(({ index }) => ({ index }));
  const rows = ways.map((way, at) =>
    port(`way:${way.index}`, "source", headHeight + 6 + at * rowHeight + rowHeight / 2),
  );
  const ports = [port(null, "target", headHeight / 2), port(newWay, "source", headHeight / 2), ...rows];
  return {
    id: rulesId(owner.key),
    type: "rules",
    position: rulesPosition(position),
    data: { owner, ways },
    draggable: false,
    ...sized(rulesHeight(drawing, owner.key), ports),
  };
}

function sized(height: number, handles: ReturnType<typeof port>[]) {
  return { width: blockWidth, height, measured: { width: blockWidth, height }, handles };
}

function blockPorts(block: Block) {
  const into = block.kind === "entry" ? [] : [port(null, "target", headHeight / 2)];
  const out = ["exit", "direct", "block"].includes(block.kind) ? [] : [port(newWay, "source", headHeight / 2)];
  return [...into, ...out];
}

/** The lines of the canvas. What is chosen lights every path through it. */
export function linesOf(
  drawing: Drawing,
  chosen: Chosen,
  routes: ReadonlyMap<number, Position[]>,
  labelOf: (index: number, lit: boolean) => string | undefined,
  widthOf: (index: number) => number | undefined = () => undefined,
): WayLine[] {
  const lit = chosen.edge !== undefined ? litEdges(drawing, [], [chosen.edge]) : litEdges(drawing, chosen.blocks);
  const ways = drawing.edges.map((edge, index): WayLine => {
    const rules = hasRules(drawing, edge.from);
    return {
      id: `way:${index}`,
      type: "way",
      source: rules ? rulesId(edge.from) : edge.from,
      sourceHandle: rules ? `way:${index}` : newWay,
      target: edge.to,
      data: {
        index,
        lit: lit.has(index),
        label: labelOf(index, lit.has(index)),
        width: widthOf(index),
        quiet: false,
        corners: routes.get(index)?.slice(1, -1),
      },
      reconnectable: "target",
    };
  });
  const joints = drawing.nodes
    .filter((block) => hasRules(drawing, block.key))
    .map((block): WayLine => {
      const isLit = drawing.edges.some((edge, index) => edge.from === block.key && lit.has(index));
      return {
        id: `into:${block.key}`,
        type: "way",
        source: block.key,
        sourceHandle: newWay,
        target: rulesId(block.key),
        data: { index: undefined, lit: isLit, quiet: true },
        selectable: false,
        focusable: false,
      };
    });
  return [...joints, ...ways];
}
