import { expect, it } from "vitest";
import { shows } from "./own-views";

const view = { name: "Exits of Finland", search: { country: "FI", role: "exit" } };

it("knows its own address, whatever the order, and no other", () => {
  expect(shows(view, { role: "exit", country: "FI", q: undefined, state: "" })).toBe(true);
  expect(shows(view, { role: "exit", country: "FI", q: "hel" })).toBe(false);
  expect(shows(view, { role: "exit" })).toBe(false);
});
