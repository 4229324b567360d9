import type { GlyphKind } from "@/components/glyph";
import type { Check } from "./api";

export type CheckStatus = "OK" | "Warning" | "Failed" | "Skipped" | "Unknown";

export const looks: Record<CheckStatus, GlyphKind> = { OK: "healthy", Warning: "degraded", Failed: "failed", Skipped: "skipped", Unknown: "no-data" };

const worst: CheckStatus[] = ["Failed", "Warning", "Unknown", "OK", "Skipped"];

/** What needs somebody comes first; the rest keeps the order of Doctor. */
export function worstFirst(checks: Check[]): Check[] {
  const rank = (check: Check) => worst.indexOf(check.status as CheckStatus);
  return [...checks].sort((a, b) => rank(a) - rank(b));
}

export function needsSomebody(check: Check): boolean {
  return check.status === "Failed" || check.status === "Warning" || check.status === "Unknown";
}
