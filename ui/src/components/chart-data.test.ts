import { describe, expect, it } from "vitest";
import { onGrid, placeLabels, timeGrid } from "./chart-data";

const at = (seconds: number) => new Date(seconds * 1000).toISOString();

describe("chart data", () => {
  it("keeps a gap as a gap", () => {
    const grid = timeGrid(0, 60, 15);
    expect(grid).toEqual([0, 15, 30, 45, 60]);
    expect(onGrid([{ at: at(0), value: 1 }, { at: at(45), value: 2 }], grid, 15)).toEqual([1, null, null, 2, null]);
  });

  it("moves labels apart and keeps them inside", () => {
    const series = ["a", "b"].map((name) => ({ name, values: [1], color: 1 as const, format: String }));
    const placed = placeLabels(series, () => 100, 110);
    expect(placed[1]!.top - placed[0]!.top).toBe(28);
    expect(placed[1]!.top + 28).toBeLessThanOrEqual(110);
  });
});
