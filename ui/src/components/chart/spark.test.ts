import { describe, expect, it } from "vitest";
import { sparkPaths } from "./spark";

describe("sparkline", () => {
  it("leaves a gap where data is missing", () => {
    expect(sparkPaths([1, 2, null, 3, 4], 92, 22).paths).toHaveLength(2);
  });

  it("draws nothing from one value", () => {
    expect(sparkPaths([null, 5], 92, 22)).toEqual({ paths: [], end: undefined });
  });
});
