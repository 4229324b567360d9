import type { Change, DiffGroup, Plan } from "../shared/api";

export const diffGroups: DiffGroup[] = [
  "listeners",
  "routes",
  "clients",
  "firewall",
  "dns",
  "cdn",
  "proxypanel",
  "other",
];

export interface NamedChange extends Change {
  group: DiffGroup;
  /** The object that changes; its fields share it. */
  object: string;
}

/**
 * What a plan changes, object by object. The panel tells a rule with another condition as one that goes and one that
 * comes; between the same blocks of the same node it is one rule that changes.
 */
export function changesOf(plan: Pick<Plan, "diff">): NamedChange[] {
  return diffGroups.flatMap((group) => rejoined(group, plan.diff[group] ?? []));
}

// Clients of one name are different clients.
const rejoins = new Set<DiffGroup>(["listeners", "routes"]);

function rejoined(group: DiffGroup, changes: readonly Change[]): NamedChange[] {
  const gone = changes.filter((change) => change.op === "removed");
  const pairs = new Map<Change, Change>();
  if (rejoins.has(group))
    for (const change of changes.filter(({ op }) => op === "added")) {
      const before = likest(
        change,
        gone.filter((other) => nameOf(other) === nameOf(change) && !pairs.has(other)),
      );
      if (before) pairs.set(before, change);
    }
  const came = new Set(pairs.values());
  return changes.flatMap((change, index): NamedChange[] => {
    if (came.has(change)) return [];
    const after = pairs.get(change);
    const object = change.op === "changed" ? nameOf(change) : `${nameOf(change)} #${index}`;
    return (after ? fieldsBetween(change, after) : [change]).map((one) => ({ ...one, group, object }));
  });
}

const nameOf = ({ node_id, name, stage }: Change) => [node_id, stage, name].join(" ");

/** Of several rules between the same blocks, the one that shares most with what comes. */
function likest(came: Change, gone: readonly Change[]): Change | undefined {
  const shared = (change: Change) =>
    Object.entries(change.from_fields ?? {}).filter(([field, value]) => came.to_fields?.[field] === value).length;
  return gone.reduce<Change | undefined>((best, one) => (!best || shared(one) > shared(best) ? one : best), undefined);
}

function fieldsBetween(before: Change, after: Change): Change[] {
  const changed: Change = { op: "changed", node_id: after.node_id, name: after.name, stage: after.stage };
  const [from, to] = [before.from_fields, after.to_fields];
  if (!from || !to) return [{ ...changed, from: before.from, to: after.to }];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((field) => from[field] !== to[field])
    .map((field) => ({ ...changed, field, from: from[field], to: to[field] }));
}

export interface ChangeCounts {
  added: number;
  changed: number;
  removed: number;
  total: number;
}

/** A changed object counts once, however many of its fields differ. */
export function countChanges(changes: readonly NamedChange[]): ChangeCounts {
  const objects = new Map(changes.map((change) => [`${change.group} ${change.object}`, change.op]));
  const of = (op: Change["op"]) => [...objects.values()].filter((item) => item === op).length;
  return { added: of("added"), changed: of("changed"), removed: of("removed"), total: objects.size };
}
