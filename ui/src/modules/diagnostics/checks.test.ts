import { expect, it } from "vitest";
import type { Check } from "./api";
import { needsSomebody, worstFirst } from "./checks";

const check = (id: string, status: string): Check =>
  ({ id, status, group: "disk", title: id, finding: "", doc: "", duration_ms: 1 }) as Check;

it("shows what needs somebody first and keeps the order among equals", () => {
  const sorted = worstFirst([
    check("a", "OK"),
    check("b", "Warning"),
    check("c", "Skipped"),
    check("d", "Failed"),
    check("e", "Warning"),
    check("f", "Unknown"),
  ]);
  expect(sorted.map((one) => one.id)).toEqual(["d", "b", "e", "f", "a", "c"]);
  expect(sorted.filter(needsSomebody)).toHaveLength(4);
});
