import { timeGrid } from "@/components/chart/chart-data";
import type { Check, History } from "../shared/api";
import { layers } from "../shared/check-mark";

interface Lines {
  /** Seconds. */
  times: number[];
  lines: { check: Check; values: (number | null)[] }[];
}

/** Results that stand by themselves are drawn by the minute. */
const minute = 60;

/** Latencies on an even grid, a line for each check that has some. A step in which nothing answered is a gap. */
export function chartOf({ from, to, step_s: stepOf, points }: History): Lines {
  const step = stepOf || minute;
  const times = timeGrid(Date.parse(from) / 1000, Date.parse(to) / 1000, step);
  const placeOf = (at: string) => Math.floor(Date.parse(at) / 1000 / step) * step;
  const places = new Map(times.map((time, at) => [time, at]));
  const sums = new Map<string, { sum: number; count: number }[]>();
  for (const { at, check, latency_ms: latency } of points) {
    const place = places.get(placeOf(at));
    if (latency === null || place === undefined) continue;
    const line = sums.get(check) ?? [];
    const { sum, count } = line[place] ?? { sum: 0, count: 0 };
    line[place] = { sum: sum + latency, count: count + 1 };
    sums.set(check, line);
  }
  const valuesOf = (line: { sum: number; count: number }[]) =>
    times.map((_, at) => (line[at] ? line[at].sum / line[at].count : null));
  return {
    times,
    lines: layers.flatMap((check) => (sums.has(check) ? [{ check, values: valuesOf(sums.get(check)!) }] : [])),
  };
}
