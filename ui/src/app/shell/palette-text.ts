import type { PaletteAct } from "@/module";

/** What was typed: an act by one of its verbs with the name after it, or only a name. */
export interface Asked {
  acts: PaletteAct[];
  /** What to look for. */
  name: string;
}

/** Reads "restart fra-02" as the act and the name. A longer verb wins over its beginning. */
export function readPalette(text: string, acts: readonly PaletteAct[]): Asked {
  const typed = text.trimStart().toLocaleLowerCase();
  let [longest, meant]: [string, PaletteAct[]] = ["", []];
  for (const act of acts) {
    for (const verb of act.verbs) {
      if (!typed.startsWith(`${verb} `) || verb.length < longest.length) continue;
      meant = verb === longest ? [...meant, act] : [act];
      longest = verb;
    }
  }
  return { acts: meant, name: text.trimStart().slice(longest.length).trim() };
}

/** Acts whose words contain what was typed so far; all of them while nothing is. */
export function offered(text: string, acts: readonly PaletteAct[]): PaletteAct[] {
  const typed = text.trim().toLocaleLowerCase();
  const words = (act: PaletteAct) => [act.label.en, act.label.ru, ...act.verbs].map((word) => word.toLocaleLowerCase());
  return acts.filter((act) => words(act).some((word) => word.includes(typed)));
}

/** The parts of a name, with those marked that were typed. */
export function marked(name: string, text: string): { text: string; hit: boolean }[] {
  const at = text ? name.toLocaleLowerCase().indexOf(text.toLocaleLowerCase()) : -1;
  if (at < 0) return [{ text: name, hit: false }];
  const end = at + text.length;
  const parts = [
    { text: name.slice(0, at), hit: false },
    { text: name.slice(at, end), hit: true },
    { text: name.slice(end), hit: false },
  ];
  return parts.filter((part) => part.text !== "");
}
