import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffOf, lineDiff, sideBySide } from "./diff";

describe("fields of an entry", () => {
  it("shows before and after of a value", () => {
    expect(diffOf({ state: { from: "active", to: "disabled" } })).toEqual([
      {
        path: "state",
        lines: [
          { sign: "-", text: "active" },
          { sign: "+", text: "disabled" },
        ],
      },
    ]);
  });

  it("shows only what came where nothing was", () => {
    expect(diffOf({ permissions: { from: null, to: ["nodes.view", "nodes.edit"] } })[0]!.lines).toEqual([
      { sign: "+", text: '["nodes.view", "nodes.edit"]' },
    ]);
  });

  it("gives each word of a long list its own line, on both sides", () => {
    const before = ["nodes.view", "nodes.edit", "connection_units.view", "connection_units.edit"];
    const texts = diffOf({ permissions: { from: before, to: ["nodes.*", "connection_units.view"] } })[0]!.lines.map(
      (line) => line.sign + line.text,
    );
    expect(texts).toEqual([
      "-nodes.view",
      "-nodes.edit",
      "+nodes.*",
      " connection_units.view",
      "-connection_units.edit",
    ]);
  });

  it("takes objects apart and leaves out what stayed", () => {
    const fields = diffOf({
      match: { from: { geosite: ["bbc"], port: 443 }, to: { geosite: ["bbc", "itv"], port: 443 } },
    });
    expect(fields.map((field) => field.path)).toEqual(["match.geosite"]);
  });

  it("never shows a secret, only that it changed", () => {
    const secret = (from: unknown, to: unknown) => diffOf({ password: { from, to } })[0];
    expect(secret("set", "set")).toEqual({ path: "password", secret: "changed", lines: [] });
    expect(secret("unset", "set")?.secret).toBe("set");
    expect(secret("set", "unset")?.secret).toBe("removed");
  });
});

describe("lines", () => {
  const texts = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });

  it("lead from the old text to the new one", () => {
    fc.assert(
      fc.property(texts, texts, (from, to) => {
        const lines = lineDiff(from, to);
        expect(lines.filter((line) => line.sign !== "+").map((line) => line.text)).toEqual(from);
        expect(lines.filter((line) => line.sign !== "-").map((line) => line.text)).toEqual(to);
      }),
    );
  });

  it("stand side by side without losing one", () => {
    fc.assert(
      fc.property(texts, texts, (from, to) => {
        const rows = sideBySide(lineDiff(from, to));
        expect(rows.flatMap((row) => row.before?.text ?? [])).toEqual(from);
        expect(rows.flatMap((row) => row.after?.text ?? [])).toEqual(to);
      }),
    );
  });
});
