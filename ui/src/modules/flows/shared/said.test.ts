import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import en from "../messages.en.json";
import ru from "../messages.ru.json";

const root = "../modules/flows";

/** The codes of all sentences that the flows of the panel say, as the sources have them. */
function codesSaid(): string[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".go") && !file.endsWith("_test.go"),
  );
  const found = files.flatMap((file) => [
    ...readFileSync(`${root}/${file}`, "utf8").matchAll(/\b[sS]ay\(\s*"([a-z_]+)"/g),
  ]);
  return [...new Set(found.map(([, code]) => code!.replace(/_other$/, "_else")))].sort();
}

it("says every sentence of the panel in both languages", () => {
  const codes = codesSaid();
  expect(codes).toContain("waiting");
  for (const words of [en.said, ru.said]) {
    const known = new Set(Object.keys(words));
    expect(codes.filter((code) => !known.has(code))).toEqual([]);
  }
});
