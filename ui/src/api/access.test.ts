import { describe, expect, it } from "vitest";
import { opens } from "./access";

describe("permissions", () => {
  it("opens all with the star", () => expect(opens(["*"], ["nodes.edit"])).toBe(true));
  it("opens a family with its star", () =>
    expect(opens(["connection_units.*"], ["connection_units.apply"])).toBe(true));
  it("does not open a neighbour of the family", () =>
    expect(opens(["connection_units.*"], ["connection.apply"])).toBe(false));
  it("is enough to hold one of several", () => expect(opens(["nodes.view"], ["nodes.edit", "nodes.view"])).toBe(true));
  it("stays closed without the key", () => expect(opens(["health.view"], ["nodes.view"])).toBe(false));
});
