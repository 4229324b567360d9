const day = 86_400_000;
const usualWarning = 14 * day;

/** What is known of a certificate in use. A binding does not tell when its certificate began. */
export interface CertificateLife {
  state: "none" | "issuing" | "valid" | "expiring" | "expired" | "failed";
  not_before?: string | null;
  not_after: string | null;
}

/** How near its end is: `soon` is when people are warned, `over` when clients refuse it. */
export type CertificateEnd = "none" | "far" | "soon" | "over";

/**
 * The rule by which the panel warns: 14 days before the end, or when a sixth of a shorter lifetime is left. Where the
 * beginning is not known, `valid` says that more than a third is left, and the warning comes later than that.
 */
export function certificateEnd(life: CertificateLife, now: number): CertificateEnd {
  const { state, not_before: from, not_after: until } = life;
  if (!until) return "none";
  const end = Date.parse(until);
  if (now >= end) return "over";
  if (!from && state === "valid") return "far";
  const warning = from ? Math.min(usualWarning, (end - Date.parse(from)) / 6) : usualWarning;
  return now >= end - warning ? "soon" : "far";
}

/** Whole days that are left, 0 on the last one and afterwards. */
export function daysLeft(until: string, now: number): number {
  return Math.max(0, Math.floor((Date.parse(until) - now) / day));
}
