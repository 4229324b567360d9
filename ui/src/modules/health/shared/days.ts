import type { TFunction } from "i18next";
import type { components } from "@/api/schema.gen";

export type Day = components["schemas"]["ViewDay"];

/** Days as a list keeps them: thousands of rows have ninety each. */
export interface Bars {
  /** A letter of `letterOf` for each day, the oldest first. */
  states: string;
  /** The share of the known time in which it was not down; undefined where nothing is known. */
  share: number | undefined;
}

export const letterOf: Record<Day["state"], string> = { up: "U", degraded: "G", down: "D", unknown: "N" };

export function barsOf(days: readonly Day[]): Bars {
  return { states: days.map(({ state }) => letterOf[state]).join(""), share: upShare(days) };
}

function upShare(days: readonly Day[]): number | undefined {
  const known = days.flatMap(({ up_pct }) => (up_pct === null ? [] : [up_pct]));
  return known.length === 0 ? undefined : known.reduce((sum, share) => sum + share, 0) / known.length;
}

/** Never rounded up to a hundred while something was missing. */
export function shareText(share: number, number: (value: number, digits?: number) => string): string {
  return `${share >= 100 ? number(100) : number(Math.floor(share * 100) / 100, 2)} %`;
}

/** What bars show, in words. */
export function barsText(t: TFunction<"health">, bars: Bars, number: (value: number, digits?: number) => string) {
  const count = bars.states.length;
  if (bars.share === undefined) return t("days.unknown", { count });
  const down = bars.states.split(letterOf.down).length - 1;
  const share = t("days.share", { count, share: shareText(bars.share, number) });
  return `${share}, ${down > 0 ? t("days.down", { count: down }) : t("days.noDown")}`;
}
