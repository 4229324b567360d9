import type { GlyphKind } from "@/components/status/glyph";
import type { Language } from "@/text/format";
import { compareNames } from "@/text/name-order";
import type { Node, NodeState } from "./types";

export interface Axis {
  glyph: GlyphKind;
  /** Key of the word in this module's messages. */
  word: string;
}

export const healths: Record<NodeState, Axis> = {
  pending: { glyph: "no-data", word: "health.pending" },
  online: { glyph: "healthy", word: "health.online" },
  degraded: { glyph: "degraded", word: "health.degraded" },
  offline: { glyph: "down", word: "health.offline" },
  maintenance: { glyph: "maintenance", word: "health.maintenance" },
  disabled: { glyph: "skipped", word: "health.disabled" },
};

/** How the node runs, in the word by which lists are filtered and counted. Why it is so, `reasons` say. */
export function healthOf(node: Node): Axis {
  return healths[node.state];
}

/** What is installed on the node against what shall be. */
export function configOf(node: Node): Axis {
  const { core } = node;
  if (core.config_revision_desired === 0) return { glyph: "never", word: "config.never" };
  if (core.in_sync) return { glyph: "in-sync", word: "config.inSync" };
  if (core.last_result && !core.last_result.ok && core.last_result.revision === core.config_revision_desired)
    return { glyph: "failed", word: "config.failed" };
  if (core.config_revision_installed < core.config_revision_desired && node.agent.connected)
    return { glyph: "applying", word: "config.behind" };
  return { glyph: "drifted", word: "config.drifted" };
}

const rank: Record<NodeState, number> = { offline: 0, degraded: 1, pending: 2, maintenance: 3, disabled: 4, online: 5 };

export function needsAttention(node: Node): boolean {
  const config = configOf(node).glyph;
  return node.state === "offline" || node.state === "degraded" || config === "drifted" || config === "failed";
}

/** Worst first, then by name in the language of the page. */
export const bySeverity = (language: Language) => (a: Node, b: Node) =>
  rank[a.state] - rank[b.state] ||
  Number(needsAttention(b)) - Number(needsAttention(a)) ||
  compareNames(a.name, b.name, language);

/** Load above this is drawn as a warning. */
export const cpuLimit = 80;
