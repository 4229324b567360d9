import type { EventKind, NewRule, Rule, RuleChange, Severity } from "./api";

/** What the dialog of a rule holds. The time in which things are gathered is in minutes there. */
export interface RuleDraft {
  name: string;
  event: string;
  channels: string[];
  severity: Severity;
  minutes: number | string;
  group: Rule["group_by"];
  enabled: boolean;
}

export function draftOf(rule: Rule | undefined, channels: readonly string[]): RuleDraft {
  return {
    name: rule?.name ?? "",
    event: rule?.event ?? "*",
    channels: rule?.channels ?? channels.slice(0, 1),
    severity: rule?.min_severity ?? "warning",
    minutes: (rule?.cooldown_s ?? 300) / 60,
    group: rule?.group_by ?? "subject",
    enabled: rule?.enabled ?? true,
  };
}

export type Wrong = "name" | "event" | "channels" | "minutes";

export function problemsOf(draft: RuleDraft): Partial<Record<keyof RuleDraft, Wrong>> {
  const wrong: Partial<Record<keyof RuleDraft, Wrong>> = {};
  const minutes = draft.minutes === "" ? Number.NaN : Number(draft.minutes);
  if (!draft.name.trim()) wrong.name = "name";
  if (!draft.event) wrong.event = "event";
  if (draft.channels.length === 0) wrong.channels = "channels";
  if (!(minutes >= 0 && minutes <= 1440)) wrong.minutes = "minutes";
  return wrong;
}

export function newOf(draft: RuleDraft): NewRule {
  return {
    name: draft.name.trim(),
    event: draft.event,
    channels: draft.channels,
    min_severity: draft.severity,
    cooldown_s: Math.round(Number(draft.minutes) * 60),
    group_by: draft.group,
    enabled: draft.enabled,
  };
}

/** The change of a rule. An event that no module has any more is not sent back, as the panel would refuse it. */
export function changeOf(draft: RuleDraft, { id, revision, event }: Rule): RuleChange & { id: string } {
  const { event: chosen, ...rest } = newOf(draft);
  return { id, revision, ...rest, ...(chosen !== event && { event: chosen }) };
}

/** What a rule can name, by families: all of one first, then its kinds. */
export function eventGroups(
  events: readonly EventKind[],
  words: { eventWords: (event: string) => string; familyWords: (family: string) => string },
  chosen: string,
): { group: string; items: { value: string; label: string }[] }[] {
  const families = [...new Set(events.map(({ family }) => family))];
  const groups = families.map((family) => ({
    group: words.familyWords(family),
    items: [family, ...events.filter((one) => one.family === family).map(({ kind }) => kind)],
  }));
  const offered = new Set(["*", ...groups.flatMap(({ items }) => items)]);
  const all = { group: "", items: offered.has(chosen) || !chosen ? ["*"] : ["*", chosen] };
  return [all, ...groups].map(({ group, items }) => ({
    group,
    items: items.map((value) => ({ value, label: words.eventWords(value) })),
  }));
}

export const fieldIds: Record<string, string> = {
  "body.name": "rule-name",
  "body.event": "rule-event",
  "body.channels": "rule-channels",
  "body.min_severity": "rule-severity",
  "body.cooldown_s": "rule-minutes",
  "body.group_by": "rule-group",
};
