import { describe, expect, it } from "vitest";
import { stepToOpen } from "./progress";

const steps = ["checks", "admin", "license", "node", "done"];

describe("first installation", () => {
  it("begins with the checks", () => expect(stepToOpen(steps, {}, false)).toBe("checks"));
  it("never passes the administrator while there is none", () =>
    expect(stepToOpen(steps, { checks: { text: "" }, admin: { text: "anna" } }, false)).toBe("admin"));
  it("goes on after the administrator on another browser", () => expect(stepToOpen(steps, {}, true)).toBe("license"));
  it("goes on from the first step without a result", () =>
    expect(stepToOpen(steps, { license: { text: "Fleet 50" } }, true)).toBe("node"));
  it("ends with done", () =>
    expect(stepToOpen(steps, { license: { text: "" }, node: { text: "", skipped: true } }, true)).toBe("done"));
});
