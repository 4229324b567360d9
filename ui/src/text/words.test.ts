import { describe, expect, it } from "vitest";
import { merged, repeated } from "./words";
import english from "./words.en";
import russian from "./words.ru";

describe("words of modules for the screens of others", () => {
  it("are joined from the folders of all modules", () => {
    for (const words of [merged(english), merged(russian)]) {
      expect(words.action).toMatchObject({
        node: { created: expect.any(String), rollout_started: expect.any(String) },
      });
      expect(words.feature).toMatchObject({ flows: expect.any(String) });
    }
  });

  it("stand in one folder only", () => {
    expect(repeated(english)).toEqual([]);
    const twice = {
      "a/words.en.json": { object: { node: "node" } },
      "b/words.en.json": { object: { node: "server" } },
    };
    expect(repeated(twice)).toEqual(["object.node"]);
    expect(merged(twice)).toEqual({ object: { node: "server" } });
  });

  it("of a feature are those of its own folder, once it has one", () => {
    const before = { "license/words.en.json": { feature: { backups: "Copies", geo: "Places" } } };
    expect(merged(before)).toEqual({ feature: { backups: "Copies", geo: "Places" } });
    const after = { "backups/words.en.json": { feature: { backups: "Backups" } }, ...before };
    expect(repeated(after)).toEqual([]);
    expect(merged(after)).toEqual({ feature: { backups: "Backups", geo: "Places" } });
  });
});
