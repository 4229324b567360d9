import { describe, expect, it } from "vitest";
import { causeOf, causes, glyphs, isUsable, nodesDown, tokenAt, wordsOf } from "./causes";
import english from "./messages.en.json";
import russian from "./messages.ru.json";
import { inDays, makeConnection } from "./testing";

describe("causes", () => {
  it.each(["en", "ru"])("say what is wrong and what to do, all of them (%s)", (language) => {
    const { cause } = language === "en" ? english : russian;
    for (const word of [...causes, "other"] as const) {
      expect(cause[word].wrong, word).toMatch(/\S/);
      expect(cause[word].todo, word).toMatch(/[.]$/);
    }
  });

  it("that a newer panel says are other ones", () => {
    expect(causeOf("gate_page")).toBe("gate_page");
    expect(causeOf("comet")).toBe("other");
  });

  it("that figures tell need no English sentence beside them", () => {
    const detail = "1 of 4 nodes are down";
    expect(wordsOf(makeConnection({ cause: "nodes_down", detail }))).toBe("");
    expect(wordsOf(makeConnection({ cause: "panel_failed", detail: "out of memory" }))).toBe("out of memory");
  });
});

describe("a connection", () => {
  it("is usable while it works, fully or not", () => {
    const usable = Object.keys(glyphs).filter((state) => isUsable(makeConnection({ state: state as "ok" })));
    expect(usable).toEqual(["ok", "degraded"]);
  });

  it("counts nodes as down that are neither online nor disabled", () => {
    const panel = { users: 0, users_online: 0, nodes: 5, nodes_online: 2, nodes_disabled: 1, webhooks: null };
    expect(nodesDown(makeConnection({ panel }))).toBe(2);
    expect(nodesDown(makeConnection({ panel: { ...panel, nodes: 2 } }))).toBe(0);
    expect(nodesDown(makeConnection({ panel: null }))).toBe(0);
  });

  it.each([
    [200, "good"],
    [14.1, "good"],
    [13.9, "ending"],
    [-0.1, "ended"],
  ] as const)("whose token ends in %d days is %s", (days, state) =>
    expect(tokenAt(makeConnection({ token_expires_at: inDays(days) }), Date.now())).toBe(state),
  );

  it("may have a token without an end", () =>
    expect(tokenAt(makeConnection({ token_expires_at: null }), Date.now())).toBe("endless"));
});
