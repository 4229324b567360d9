import { describe, expect, it } from "vitest";
import { litEdges } from "../../drawing/drawing";
import { positionsOf } from "../../drawing/layout";
import { routesOf } from "../../drawing/routes";
import { europe } from "../../testing/places";
import { chosenAmong, linesOf, rulesId, shapesOf } from "./canvas-model";

describe("the shapes of the canvas", () => {
  const shapes = shapesOf(europe, {}, true);
  const selected = (chosen: Parameters<typeof chosenAmong>[1]) =>
    chosenAmong(shapes, chosen).flatMap((shape) => (shape.selected ? [shape.id] : []));

  it("select a block or its rules, not both", () => {
    expect(selected({ blocks: [] })).toEqual([]);
    expect(selected({ blocks: ["entry"] })).toEqual(["entry"]);
    expect(selected({ blocks: ["entry"], rules: true })).toEqual([rulesId("entry")]);
    expect(selected({ blocks: ["exit", "block"] })).toEqual(["block", "exit"]);
  });

  it("are drawn again only where the choice changes them", () => {
    const before = chosenAmong(shapes, { blocks: ["entry"] });
    const after = chosenAmong(shapes, { blocks: ["exit"] });
    const changed = after.filter((shape, at) => shape !== before[at]).map(({ id }) => id);
    expect(changed).toEqual(["entry", "exit"]);
    expect(after.every((shape, at) => shape.data === before[at]!.data)).toBe(true);
  });

  it("lie where a pointer drags them", () => {
    const at = { x: 400, y: 320 };
    const moved = shapesOf(europe, { entry: at }, true);
    expect(moved.find(({ id }) => id === "entry")!.position).toEqual(at);
    expect(moved.find(({ id }) => id === "exit")!.position).toEqual(positionsOf(europe)["exit"]);
  });
});

describe("the lines of the canvas", () => {
  it("light every path through what is chosen and lead from the port of their rule", () => {
    const lines = linesOf(europe, { blocks: ["exit"] }, routesOf(europe, positionsOf(europe)), () => undefined);
    const lit = lines.flatMap(({ data }) => (data!.lit && data!.index !== undefined ? [data!.index] : []));
    expect(new Set(lit)).toEqual(litEdges(europe, ["exit"]));
    const rule = lines.find(({ data }) => data!.index === 2)!;
    expect(rule).toMatchObject({ source: rulesId("entry"), sourceHandle: "way:2", target: "exit" });
    expect(lines.filter(({ id }) => id.startsWith("into:")).map(({ source }) => source)).toEqual(["entry", "transit"]);
  });
});
