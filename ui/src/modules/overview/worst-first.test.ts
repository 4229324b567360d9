import { expect, it } from "vitest";
import type { AttentionItem } from "@/module";
import { worstFirst } from "./worst-first";

const item = (id: string, severity: AttentionItem["severity"], since?: string): AttentionItem => ({
  id,
  severity,
  since,
  glyph: "down",
  name: id,
  what: "",
  act: { label: "", path: "/" },
});

it("puts the critical first and the newest before the older", () => {
  const sorted = worstFirst([
    item("old", "warn", "2026-01-01T00:00:00Z"),
    item("new", "warn", "2026-02-01T00:00:00Z"),
    item("bad", "crit"),
  ]);
  expect(sorted.map(({ id }) => id)).toEqual(["bad", "new", "old"]);
});
