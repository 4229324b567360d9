import type { Change, DiffGroup, Plan } from "../shared/api";

export const diffGroups: DiffGroup[] = ["listeners", "routes", "clients", "firewall", "dns", "cdn", "proxypanel"];

export interface NamedChange extends Change {
  group: DiffGroup;
}

export function changesOf(plan: Pick<Plan, "diff">): NamedChange[] {
  return diffGroups.flatMap((group) => (plan.diff[group] ?? []).map((change) => ({ ...change, group })));
}

export interface ChangeCounts {
  added: number;
  changed: number;
  removed: number;
  total: number;
}

/** A changed object counts once, however many of its fields differ. */
export function countChanges(changes: readonly Change[]): ChangeCounts {
  const objects = new Map(
    changes.map((change) => [
      `${change.op} ${change.node_id} ${change.name} ${change.op === "changed" ? "" : (change.to ?? change.from ?? "")}`,
      change.op,
    ]),
  );
  const of = (op: Change["op"]) => [...objects.values()].filter((item) => item === op).length;
  return { added: of("added"), changed: of("changed"), removed: of("removed"), total: objects.size };
}
