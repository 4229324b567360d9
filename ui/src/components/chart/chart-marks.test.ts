import { expect, it } from "vitest";
import { placed } from "./chart-marks";

const word = (left: number, failure = false) => ({ left, width: 30, failure });

it("writes no word of a mark over another", () => {
  expect(placed([word(0), word(20), word(36), word(100)])).toEqual([true, false, true, true]);
});

it("writes the word of a failure before those of others", () => {
  expect(placed([word(0), word(20, true), word(100)])).toEqual([false, true, true]);
});
