import { expect, it } from "vitest";
import type { Rings } from "./api";
import { changeOf, countsOf, draftOf, problemsOf, withRing } from "./rings";

const rings = {
  rings: [{ size: 1 }, { size: 10 }, { size: 100 }],
  first: [{ id: "n1", name: "waw-01" }],
  first_nodes: ["n1", "gone"],
  pause_seconds: 60,
  parallel: 10,
} as unknown as Rings;

it("edits all rings but the last, and leaves out a node that is gone", () => {
  const draft = draftOf(rings);
  expect(draft).toEqual({ sizes: [1, 10], first: ["n1"], pause: 60, parallel: 10 });
  expect(problemsOf(draft)).toEqual({});
  expect(changeOf(draft, 4)).toEqual({
    sizes: [1, 10, 100],
    first_nodes: ["n1"],
    pause_seconds: 60,
    parallel: 10,
    revision: 4,
  });
});

it("names each field that cannot be", () => {
  expect(problemsOf({ sizes: [0, 30, 30, 100, ""], first: [], pause: -1, parallel: 201 })).toEqual({
    "ring-1": "nodes",
    "ring-3": "rising",
    "ring-4": "share",
    "ring-5": "share",
    "ring-pause": "pause",
    "ring-parallel": "parallel",
  });
});

it("shares nodes out as the panel does", () => {
  expect(countsOf(3, [1, 10])).toEqual([1, 1, 1]);
  expect(countsOf(50, [1, 10])).toEqual([1, 4, 45]);
  expect(countsOf(1, [1, 10])).toEqual([1, 0, 0]);
  expect(countsOf(7, [])).toEqual([7]);
  expect(withRing(withRing([1]))).toEqual([1, 50, 75]);
});
