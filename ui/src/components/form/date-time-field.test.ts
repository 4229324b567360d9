import { expect, it } from "vitest";
import { isoOf, localMinute } from "./date-time-field";

it("shows a moment in local time and reads it back as the same moment", () => {
  const moment = "2026-03-11T12:34:00.000Z";
  expect(isoOf(localMinute(moment))).toBe(moment);
});

it("reads nothing out of an empty or half-typed field", () => {
  expect(isoOf("")).toBeUndefined();
  expect(isoOf("2026-03-")).toBeUndefined();
});
