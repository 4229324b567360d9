import type { NewMember, NewPool, Pool } from "./api";

/** A member as the form holds it: the id of a node or of a flow. */
export interface MemberEntry {
  id: string;
  kind: "node" | "flow";
  name: string;
  weight: number;
  priority: number;
  enabled: boolean;
  drain: boolean;
}

/** A pool as the form holds it. */
export interface PoolEntry {
  name: string;
  strategy: NewPool["strategy"];
  stickiness: "user" | "source";
  members: MemberEntry[];
  fallback: "block" | "direct" | "member" | "pool";
  fallbackMember: string | null;
  fallbackPool: string | null;
  minHealthy: number;
  probeUrl: string;
  interval: number;
  timeout: number;
  failures: number;
  successes: number;
  maxRtt: number;
  tolerance: number;
}

export const strategies = [
  "round_robin",
  "random",
  "ordered",
  "least_ping",
  "least_load",
  "least_users",
  "sticky",
] as const satisfies readonly NewPool["strategy"][];

export const fallbacks = ["block", "direct", "member", "pool"] as const;

/** What a new pool begins with, or what a pool has. */
export function entryOf(pool: Pool | undefined): PoolEntry {
  return {
    name: pool?.name ?? "",
    strategy: pool?.strategy ?? "round_robin",
    stickiness: pool?.stickiness === "source" ? "source" : "user",
    members: (pool?.members ?? []).map(({ node_id, flow_id, name, weight, priority, enabled, drain }) => ({
      id: flow_id || node_id,
      kind: flow_id ? "flow" : "node",
      name,
      weight,
      priority,
      enabled,
      drain,
    })),
    fallback: pool?.fallback.kind ?? "block",
    fallbackMember: pool?.fallback.flow_id ?? pool?.fallback.node_id ?? null,
    fallbackPool: pool?.fallback.pool_id ?? null,
    minHealthy: pool?.min_healthy ?? 1,
    probeUrl: pool?.health.probe_url ?? "https://www.gstatic.com/generate_204",
    interval: pool?.health.interval_s ?? 10,
    timeout: pool?.health.timeout_s ?? 3,
    failures: pool?.health.failure_threshold ?? 2,
    successes: pool?.health.success_threshold ?? 2,
    maxRtt: pool?.health.max_rtt_ms ?? 0,
    tolerance: pool?.health.tolerance ?? 25,
  };
}

const named = (member: Pick<MemberEntry, "id" | "kind">) =>
  member.kind === "flow" ? { flow_id: member.id } : { node_id: member.id };

/** The request that the form makes. */
export function bodyOf(entry: PoolEntry, sampling: number | undefined): NewPool {
  const instead = entry.members.find(({ id }) => id === entry.fallbackMember);
  return {
    name: entry.name.trim(),
    strategy: entry.strategy,
    stickiness: entry.strategy === "sticky" ? entry.stickiness : "none",
    members: entry.members.map(({ id, kind, weight, priority, enabled, drain }): NewMember => ({
      ...named({ id, kind }),
      weight,
      priority,
      enabled,
      drain,
    })),
    fallback: {
      kind: entry.fallback,
      ...(entry.fallback === "member" && (instead ? named(instead) : { node_id: "" })),
      ...(entry.fallback === "pool" && { pool_id: entry.fallbackPool ?? "" }),
    },
    min_healthy: entry.minHealthy,
    health: {
      probe_url: entry.probeUrl.trim(),
      interval_s: entry.interval,
      timeout_s: entry.timeout,
      failure_threshold: entry.failures,
      success_threshold: entry.successes,
      max_rtt_ms: entry.maxRtt,
      tolerance: entry.tolerance,
      ...(sampling !== undefined && { sampling }),
    },
  };
}

/** Whether flows that run have to be installed anew: whatever a configuration holds. */
export function changesShape(pool: Pool, entry: PoolEntry): boolean {
  const before = entryOf(pool);
  const ids = (members: MemberEntry[]) =>
    members
      .map(({ id }) => id)
      .sort()
      .join();
  return (
    before.strategy !== entry.strategy ||
    (entry.strategy === "sticky" && before.stickiness !== entry.stickiness) ||
    before.fallback !== entry.fallback ||
    before.fallbackMember !== entry.fallbackMember ||
    before.fallbackPool !== entry.fallbackPool ||
    ids(before.members) !== ids(entry.members)
  );
}
