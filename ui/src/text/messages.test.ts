import { describe, expect, it } from "vitest";

type Words = { [key: string]: string | Words };

const files = import.meta.glob<Words>(
  ["../app/messages.*.json", "../modules/*/messages.*.json", "../modules/*/words.*.json"],
  { eager: true, import: "default" },
);
const texts = import.meta.glob<string>(
  ["../app/messages.*.json", "../modules/*/messages.*.json", "../modules/*/words.*.json"],
  { eager: true, import: "default", query: "?raw" },
);
const plural = /_(one|few|many|other)$/;

function keysOf(words: Words, prefix = ""): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "string" ? [prefix + key] : keysOf(value, `${prefix}${key}.`),
  );
}

const english = Object.keys(files).filter((file) => file.endsWith(".en.json"));

describe.each(english)("%s", (file) => {
  const own = keysOf(files[file]!);
  const other = keysOf(files[file.replace(".en.", ".ru.")] ?? {});

  // The panel speaks English itself, so Russian may have words that English does not need.
  it("has every word in Russian", () => {
    const bare = (keys: string[]) => [...new Set(keys.map((key) => key.replace(plural, "")))].sort();
    expect(bare(other)).toEqual(expect.arrayContaining(bare(own)));
  });

  it("has all plural forms in both languages", () => {
    const stems = (keys: string[]) =>
      new Set(keys.filter((key) => plural.test(key)).map((key) => key.replace(plural, "")));
    for (const stem of stems(own)) expect(own).toEqual(expect.arrayContaining([`${stem}_one`, `${stem}_other`]));
    for (const stem of stems(other))
      expect(other).toEqual(expect.arrayContaining(["one", "few", "many", "other"].map((form) => `${stem}_${form}`)));
  });
});

// Of two groups of one name the later would silently replace the other, and its words would be missing on the screen.
it.each(Object.keys(files))("%s says each key once", (file) => {
  const count = (words: Words): number =>
    Object.values(words).reduce<number>((sum, one) => sum + 1 + (typeof one === "string" ? 0 : count(one)), 0);
  const written = [...texts[file]!.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon);
  expect(written).toHaveLength(count(files[file]!));
});
