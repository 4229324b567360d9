import { ladder } from "../repairs/repair-text";
import type { Policy } from "../shared/policies";
import type { PolicyCheck, PolicyEntry, Scope, Window } from "./api";

/** Percent of a pool that may be withdrawn at once, where a policy says nothing. */
export const usualShare = 30;

/** What a new policy begins with while the one of everything else is not known. */
const fresh: PolicyEntry = {
  name: "",
  enabled: true,
  scope: { kind: "tag", tag: "" },
  checks: [{ type: "heartbeat" }, { type: "core" }, { type: "tcp" }, { type: "tls" }],
  vantages: { panel: true, agents: 3 },
  quorum: 2,
  failure_threshold: 3,
  success_threshold: 2,
  recheck: { count: 3, every_s: 5 },
  flap: { max_changes: 6, window_s: 600 },
  repair: {
    mode: "suggest",
    actions: [...ladder],
    limits: { max_actions_per_hour: 10, cooldown_s: 300, max_pct_of_pool: usualShare },
  },
  maintenance_windows: [],
};

/** What a form shows of a policy; a new one is like the one of everything else, but for whom it speaks of. */
export function entryOf(policy: Policy | undefined, like: Policy | undefined): PolicyEntry {
  const from = policy ?? (like && { ...like, name: "", enabled: true, scope: fresh.scope, maintenance_windows: [] });
  const { name, enabled, scope, checks, vantages, quorum } = from ?? fresh;
  const { failure_threshold, success_threshold, recheck, flap, repair, maintenance_windows } = from ?? fresh;
  return {
    name,
    enabled,
    scope,
    checks,
    vantages,
    quorum,
    failure_threshold,
    success_threshold,
    recheck,
    flap,
    repair,
    maintenance_windows,
  };
}

/** Members that are empty are left out: the panel refuses a tag beside a node, and an empty URL. */
export function sentOf(entry: PolicyEntry): PolicyEntry {
  const { panel, agents, tag } = entry.vantages;
  return {
    ...entry,
    name: entry.name.trim(),
    scope: scopeOf(entry.scope),
    checks: entry.checks.map(filled),
    vantages: tag?.trim() ? { panel, agents, tag: tag.trim() } : { panel, agents },
    maintenance_windows: entry.maintenance_windows.map(filled),
  };
}

function scopeOf({ kind, id, tag }: Scope): Scope {
  if (kind === "tag") return { kind, tag: tag?.trim() ?? "" };
  return kind === "all" ? { kind } : { kind, id: id ?? "" };
}

function filled<Part extends PolicyCheck | Window>(part: Part): Part {
  const entries = Object.entries(part).filter(
    ([, value]) => value !== "" && value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(entries) as unknown as Part;
}

/** What the panel refused at a field or at a part of it. */
export function errorUnder(wrong: Record<string, string>, field: string): string | undefined {
  const found = Object.keys(wrong).find((key) => key === field || key.startsWith(`${field}.`));
  return found === undefined ? undefined : wrong[found];
}
