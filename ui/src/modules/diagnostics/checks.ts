import type { GlyphKind } from "@/components/status/glyph";
import type { Language } from "@/text/format";
import type { Check } from "./api";

export type CheckStatus = "OK" | "Warning" | "Failed" | "Skipped" | "Unknown";

export const looks: Record<CheckStatus, GlyphKind> = {
  OK: "healthy",
  Warning: "degraded",
  Failed: "failed",
  Skipped: "skipped",
  Unknown: "no-data",
};

/** What a check says in the language of the page; a diagnosis of an earlier panel knows English alone. */
export function wordsOf(check: Check, language: Language) {
  return check.translations?.[language] ?? { title: check.title, finding: check.finding, action: check.action };
}

/** The groups in the order of Doctor, each with its checks. */
export function byGroup(checks: Check[]): { group: string; checks: Check[] }[] {
  return [...new Set(checks.map((check) => check.group))].map((group) => ({
    group,
    checks: checks.filter((check) => check.group === group),
  }));
}

export const worst: CheckStatus[] = ["Failed", "Warning", "Unknown", "OK", "Skipped"];

/** What needs somebody comes first; the rest keeps the order of Doctor. */
export function worstFirst(checks: Check[]): Check[] {
  const rank = (check: Check) => worst.indexOf(check.status as CheckStatus);
  return [...checks].sort((a, b) => rank(a) - rank(b));
}

export function needsSomebody(check: Check): boolean {
  return check.status === "Failed" || check.status === "Warning" || check.status === "Unknown";
}
