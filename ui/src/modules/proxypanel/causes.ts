import type { GlyphKind } from "@/components/status/glyph";
import type { Connection, State } from "./api";

/** Every word that the panel has for why a connection is not as it should be. */
export const causes = [
  "no_reverse_proxy",
  "gate_page",
  "token_refused",
  "token_expired",
  "token_expiring",
  "scope_missing",
  "version_unsupported",
  "process_silent",
  "nodes_down",
  "slow_down",
  "panel_failed",
  "answer_unreadable",
  "name_not_found",
  "connection_refused",
  "connection_broken",
  "tls_failed",
  "timeout",
  "address_forbidden",
  "no_connection",
] as const;

export type Cause = (typeof causes)[number];

/** The cause by a word that the messages have; `other` for one that a newer panel says. */
export function causeOf(word: string): Cause | "other" {
  return causes.find((cause) => cause === word) ?? "other";
}

export const glyphs: Record<State, GlyphKind> = {
  unchecked: "never",
  ok: "healthy",
  degraded: "degraded",
  auth: "down",
  unreachable: "down",
  gate: "down",
  unsupported: "down",
};

/** Whether users and nodes there can be read now. */
export const isUsable = ({ state }: Connection) => state === "ok" || state === "degraded";

/** The panel says these by figures that the screen has in both languages. */
const saidByFigures: readonly string[] = ["nodes_down", "version_unsupported"];

/** What the proxy panel or the network said, where the sentence of the cause does not say it all. */
export function wordsOf({ cause, detail }: Connection): string {
  return saidByFigures.includes(cause) ? "" : detail;
}

const day = 86_400_000;

/** The panel warns of a token from this long before its end. */
const warnBefore = 14 * day;

/** How it is with the end of a token at a moment, in milliseconds. */
export function tokenAt({ token_expires_at: end }: Connection, now: number): "endless" | "good" | "ending" | "ended" {
  if (end === null) return "endless";
  const left = Date.parse(end) - now;
  if (left <= 0) return "ended";
  return left <= warnBefore ? "ending" : "good";
}

/** Nodes there that should run and do not. */
export function nodesDown({ panel }: Connection): number {
  return panel ? Math.max(0, panel.nodes - panel.nodes_online - panel.nodes_disabled) : 0;
}
