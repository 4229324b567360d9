import type { Incident, NodeSummary } from "../shared/fleet";

export interface Contact {
  /** Nodes that are heard now. */
  reporting: number;
  /** Nodes that missed reports and are not yet offline. */
  silent: number;
  offline: number;
  /** Nodes that are heard and do not work as they should. */
  degraded: number;
}

/**
 * How much of the fleet is heard now. A node that missed two reports is degraded until it counts as offline: it is not
 * among those that report. States come with each frame and incidents a moment later, so there are never more silent
 * nodes than degraded ones.
 */
export function contactOf(
  states: NodeSummary["states"],
  attention: readonly Pick<Incident, "cause" | "nodes">[],
): Contact {
  const { online = 0, offline = 0, degraded = 0 } = states;
  const stale = attention.filter(({ cause }) => cause === "agent_stale").reduce((sum, { nodes }) => sum + nodes, 0);
  const silent = Math.min(stale, degraded);
  return { reporting: online + degraded - silent, silent, offline, degraded: degraded - silent };
}
