import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { glossary } from "./glossary";

type Words = { [key: string]: string | Words };

const files = import.meta.glob<Words>(
  ["../app/messages.*.json", "../modules/*/messages.*.json", "../modules/*/words.*.json"],
  { eager: true, import: "default" },
);
const translations = ["../modules", "../platform"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("russian.txt"))
    .map((file) => [`${folder}/${file}`, readFileSync(`${folder}/${file}`, "utf8")] as const),
);
const plural = /_(one|few|many|other)$/;

function sentencesOf(words: Words, prefix = ""): [key: string, text: string][] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "string" ? [[prefix + key, value] as [string, string]] : sentencesOf(value, `${prefix}${key}.`),
  );
}

const ofScreens = (language: "en" | "ru") =>
  Object.entries(files)
    .filter(([file]) => file.endsWith(`.${language}.json`))
    .flatMap(([file, words]) => sentencesOf(words).map(([key, text]) => ({ at: `${file} ${key}`, text })));

/** The texts of commands, checks and repairs: an English line and below it the Russian one, an empty line between. */
const ofServer = (language: "en" | "ru") =>
  translations.flatMap(([file, pairs]) =>
    pairs.split("\n\n").map((pair) => ({ at: file, text: pair.trim().split("\n")[language === "en" ? 0 : 1] ?? "" })),
  );

const all = (language: "en" | "ru") => [...ofScreens(language), ...ofServer(language)];

describe("the words of all screens, commands and checks", () => {
  it.each(["en", "ru"] as const)("are those of the glossary, in %s", (language) => {
    const dropped = glossary.flatMap(({ [language]: word, not }) =>
      not?.[language] ? [{ word, no: not[language] }] : [],
    );
    expect(dropped.length).toBeGreaterThan(10);
    expect(translations.length).toBeGreaterThan(20);
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
