import { z } from "zod";

export const ranges = ["1h", "today", "7d", "30d"] as const;
export type Range = (typeof ranges)[number];

const text = z.coerce.string().max(200).optional().catch(undefined);
const moment = z.iso.datetime({ offset: true }).optional().catch(undefined);

/** What the address of the page holds: the filter, and the entry that is open. */
export const auditSearch = z.object({
  q: text,
  actor: text,
  action: text,
  object: text,
  result: z.enum(["ok", "denied", "failed"]).optional().catch(undefined),
  range: z.enum(ranges).optional().catch(undefined),
  from: moment,
  to: moment,
  entry: z.uuid().optional().catch(undefined),
});

export type AuditSearch = z.output<typeof auditSearch>;
export type AuditFilter = Omit<AuditSearch, "entry">;

const hour = 3_600_000;
const day = 24 * hour;

/** When a range begins, seen from now; "today" begins at the reader's own midnight. */
export function rangeStart(range: Range, now: Date): Date {
  if (range === "today") return new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const length = { "1h": hour, "7d": 7 * day, "30d": 30 * day }[range];
  return new Date(now.getTime() - length);
}

/** The filter in the words of the API. */
export function queryOf({ range, from, to, ...rest }: AuditFilter, now: Date): Omit<AuditFilter, "range"> {
  const begin = range ? rangeStart(range, now).toISOString() : from;
  return Object.fromEntries(
    Object.entries({ ...rest, from: begin, to: range ? undefined : to }).filter(
      ([, value]) => value !== undefined && value !== "",
    ),
  );
}

export function isFiltered(filter: AuditFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined && value !== "");
}

/** Actions with the families that hold more than one of them, as choices of the filter. */
export function withFamilies(actions: readonly string[]): string[] {
  const families = new Map<string, number>();
  for (const action of actions) {
    const family = `${action.split(".")[0]}.*`;
    families.set(family, (families.get(family) ?? 0) + 1);
  }
  return [...[...families].filter(([, count]) => count > 1).map(([family]) => family), ...actions].sort();
}

/** The value of a date field of the browser, which knows no zone, for a moment; and back. */
export function toLocalField(iso: string | undefined): string {
  if (!iso) return "";
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function fromLocalField(value: string): string | undefined {
  const at = new Date(value);
  return value && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined;
}
