import { readFileSync } from "node:fs";
import { join } from "node:path";
import i18next from "i18next";
import { beforeAll, describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { changeLanguage, startI18n } from "./i18n";
import { problemText } from "./problem-text";

// The generated catalogue of everything that the panel refuses with.
const catalogue = readFileSync(join(import.meta.dirname, "../../../docs/reference/errors.md"), "utf8");
const codes = [...catalogue.matchAll(/^\| `([a-z_]+)` \| (\d+) \|/gm)].map(([, code, status]) => ({
  code: code!,
  status: Number(status),
}));

describe("what the panel refuses with", () => {
  beforeAll(async () => {
    await startI18n("en");
    await i18next.loadNamespaces("words");
  });

  it.each(["en", "ru"] as const)("has a sentence of ours for every code, in %s", async (language) => {
    await changeLanguage(language);
    expect(codes.length).toBeGreaterThan(60);
    const foreign = codes
      .map(({ code, status }) => ({ code, text: problemText(new Problem({ code, status })) }))
      .filter(({ code, text }) => text === code || (language === "ru") !== /[а-я]/i.test(text));
    expect(foreign).toEqual([]);
  });

  it("tells in English what the panel says of a value, and never English to a Russian page", async () => {
    const problem = new Problem({ status: 422, code: "invalid_value", detail: "there is no such client of this flow" });
    await changeLanguage("en");
    expect(problemText(problem)).toBe("there is no such client of this flow");
    await changeLanguage("ru");
    expect(problemText(problem)).not.toMatch(/[a-z]/i);
  });
});
