import { describe, expect, it } from "vitest";
import { glossary } from "./glossary";

type Words = { [key: string]: string | Words };

const files = import.meta.glob<Words>(
  ["../app/messages.*.json", "../modules/*/messages.*.json", "../modules/*/words.*.json"],
  { eager: true, import: "default" },
);
const plural = /_(one|few|many|other)$/;

function sentencesOf(words: Words, prefix = ""): [key: string, text: string][] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "string" ? [[prefix + key, value] as [string, string]] : sentencesOf(value, `${prefix}${key}.`),
  );
}

const all = (language: "en" | "ru") =>
  Object.entries(files)
    .filter(([file]) => file.endsWith(`.${language}.json`))
    .flatMap(([file, words]) => sentencesOf(words).map(([key, text]) => ({ at: `${file} ${key}`, text })));

describe("the words of all screens", () => {
  it.each(["en", "ru"] as const)("are those of the glossary, in %s", (language) => {
    const dropped = glossary.flatMap(({ [language]: word, not }) =>
      not?.[language] ? [{ word, no: not[language] }] : [],
    );
    expect(dropped.length).toBeGreaterThan(10);
    const found = all(language).flatMap(({ at, text }) =>
      dropped.filter(({ no }) => no.test(text)).map(({ word }) => `${at}: “${text}”; say “${word}”`),
    );
    expect(found).toEqual([]);
  });

  it("fill the same blanks in both languages", () => {
    const blanks = (text: string) => [...text.matchAll(/\{\{\s*(\w+)/g)].map(([, name]) => name!);
    const ofStems = (words: Words) => {
      const stems = new Map<string, Set<string>>();
      for (const [key, text] of sentencesOf(words)) {
        const stem = key.replace(plural, "");
        stems.set(stem, new Set([...(stems.get(stem) ?? []), ...blanks(text)]));
      }
      return stems;
    };
    const missing = Object.entries(files)
      .filter(([file]) => file.endsWith(".en.json"))
      .flatMap(([file, words]) => {
        const english = ofStems(words);
        const russian = ofStems(files[file.replace(".en.", ".ru.")] ?? {});
        return [...english].flatMap(([stem, names]) => {
          const other = russian.get(stem) ?? names;
          const differ = [...names, ...other].filter((name) => name !== "count" && names.has(name) !== other.has(name));
          return differ.map((name) => `${file} ${stem}: ${name}`);
        });
      });
    expect(missing).toEqual([]);
  });
});
