const hour = 3_600_000;
const lastDay = 24 * hour;

export interface GraceBar {
  start: number;
  warnFrom: number;
  end: number;
  usedHours: number;
  totalHours: number;
  /** Shares of the whole: used, left before the last day, left of the last day. */
  used: number;
  calm: number;
  late: number;
}

/** The grace period as a bar: what is used, what is left, and the amber last day. */
export function graceBar(since: string, until: string, now: number): GraceBar {
  const start = Date.parse(since);
  const end = Math.max(Date.parse(until), start + hour);
  const at = Math.min(Math.max(now, start), end);
  const warnFrom = Math.max(start, end - lastDay);
  const total = end - start;
  return {
    start,
    warnFrom,
    end,
    usedHours: Math.floor((at - start) / hour),
    totalHours: Math.round(total / hour),
    used: (at - start) / total,
    calm: Math.max(0, warnFrom - at) / total,
    late: (end - Math.max(at, warnFrom)) / total,
  };
}
