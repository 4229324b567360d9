import { expect, it } from "vitest";
import type { AttentionItem } from "@/module";
import { withoutCovered } from "./without-covered";

const item = (id: string, change: Partial<AttentionItem> = {}): AttentionItem => ({
  id,
  severity: "warn",
  glyph: "down",
  name: id,
  what: "",
  act: { label: "", path: "/" },
  ...change,
});
const told = (...items: AttentionItem[]) =>
  withoutCovered(items).map(({ id, severity, covered }) => [id, severity, covered ?? 0]);

it("leaves out the lines of a node and of a flow that one incident covers, and counts them", () => {
  const node = item("node", { about: ["n"] });
  const flow = item("flow", { about: ["f"] });
  expect(told(node, flow, item("incident", { covers: ["n", "f"] }), item("other"))).toEqual([
    ["incident", "warn", 2],
    ["other", "warn", 0],
  ]);
});

it("never makes a line look less severe than what it stands for", () => {
  expect(told(item("node", { about: ["n"], severity: "crit" }), item("incident", { covers: ["n"] }))).toEqual([
    ["incident", "crit", 1],
  ]);
});

it("keeps a line of several nodes until each of them is covered, by whatever incidents", () => {
  const both = item("both", { about: ["a", "b"], count: 2 });
  const [first, second] = [item("first", { covers: ["a"] }), item("second", { covers: ["b"] })];
  expect(told(both, first).map(([id]) => id)).toEqual(["first", "both"]);
  expect(told(both, first, second)).toEqual([
    ["first", "warn", 1],
    ["second", "warn", 1],
  ]);
});

it("keeps a line that does not name all of its objects", () => {
  const incident = item("incident", { covers: ["a"] });
  const ids = told(incident, item("many", { about: ["a"], count: 600 }), item("unnamed"), item("empty", { about: [] }));
  expect(ids.map(([id]) => id)).toEqual(["incident", "many", "unnamed", "empty"]);
});
