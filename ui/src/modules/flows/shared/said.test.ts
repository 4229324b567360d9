import { readdirSync, readFileSync } from "node:fs";
import i18next from "i18next";
import { expect, it } from "vitest";
import { startI18n } from "@/text/i18n";
import { renderHook } from "@testing-library/react";
import en from "../messages.en.json";
import ru from "../messages.ru.json";
import { useSaid } from "./said";

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

it("begins a sentence with a capital letter, and leaves the name of a node as it is", async () => {
  await startI18n("en");
  await i18next.loadNamespaces("flows");
  const said = renderHook(() => useSaid()).result.current;
  const reached = { code: "peer_reached", text: "", params: { node: "fra-02", ms: "7" } };
  expect(said(reached)).toBe("fra-02 reached it in 7 ms");
  expect(said({ code: "port_bound", text: "", params: {} })).toBe("The agent bound the port and freed it again");
  expect(said({ code: "", text: "local is away", params: { node: "local" } })).toBe("local is away");
});
