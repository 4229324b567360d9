import { describe, expect, it } from "vitest";
import { labelledIndex, onGrid, placeLabels, timeGrid } from "./chart-data";

const at = (seconds: number) => new Date(seconds * 1000).toISOString();

describe("chart data", () => {
  it("keeps a gap as a gap", () => {
    const grid = timeGrid(0, 60, 15);
    expect(grid).toEqual([0, 15, 30, 45, 60]);
    expect(
      onGrid(
        [
          { at: at(0), value: 1 },
          { at: at(45), value: 2 },
        ],
        grid,
        15,
      ),
    ).toEqual([1, null, null, 2, null]);
  });

  it("labels the time under the cursor, else the newest one with a value", () => {
    const series = [
      { name: "in", values: [1, 2, null], color: 1 as const, format: String },
      { name: "out", values: [4, null, null], color: 2 as const, format: String },
    ];
    expect(labelledIndex(series, undefined)).toBe(1);
    expect(labelledIndex(series, 0)).toBe(0);
    expect(labelledIndex([{ ...series[0]!, values: [null] }], undefined)).toBeUndefined();
    expect(placeLabels(series, 0, (value) => value, 200).map((label) => label.text)).toEqual(["1", "4"]);
    const gap = placeLabels(series, 1, (value) => value, 200).find((label) => label.name === "out");
    expect(gap?.text).toBe("—");
  });

  it("moves labels apart and keeps them inside, above the times of the axis", () => {
    const series = ["a", "b"].map((name) => ({ name, values: [1], color: 1 as const, format: String }));
    const placed = placeLabels(series, 0, () => 100, 110);
    expect(placed[1]!.top - placed[0]!.top).toBe(28);
    expect(placed[1]!.top + 28).toBeLessThanOrEqual(110 - 22);
  });
});
