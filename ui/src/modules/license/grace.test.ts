import { describe, expect, it } from "vitest";
import { graceBar } from "./grace";

const hour = 3_600_000;
const start = Date.parse("2026-03-10T15:02:00Z");
const iso = (moment: number) => new Date(moment).toISOString();

describe("grace bar", () => {
  it("shows used hours, the calm rest and the last day", () => {
    const bar = graceBar(iso(start), iso(start + 72 * hour), start + 21 * hour);
    expect(bar).toMatchObject({ usedHours: 21, totalHours: 72 });
    expect(bar.used + bar.calm + bar.late).toBeCloseTo(1);
    expect(bar.late).toBeCloseTo(24 / 72);
  });

  it("has no calm part within the last day and never runs past the end", () => {
    expect(graceBar(iso(start), iso(start + 72 * hour), start + 60 * hour).calm).toBe(0);
    expect(graceBar(iso(start), iso(start + 72 * hour), start + 90 * hour).used).toBe(1);
  });
});
