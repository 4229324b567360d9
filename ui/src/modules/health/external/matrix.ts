import type { Leg, Report } from "./api";

export interface Cell {
  leg: Leg | undefined;
  /** How many nodes of the flow were reached from there, of how many. */
  reached: number;
  asked: number;
}

export interface Matrix {
  regions: string[];
  rows: { operator: string; whitelist: boolean; cells: Cell[] }[];
}

/** The newest reports that were done, one for each address. */
export function newestDone(reports: readonly Report[]): Report[] {
  const seen = new Set<string>();
  return reports.filter((report) => {
    if (report.state !== "done" || report.kind !== "probe" || seen.has(report.target)) return false;
    seen.add(report.target);
    return true;
  });
}

/** Operators by districts. Each operator has two lines where it was asked with and without its white list. */
export function matrixOf(reports: readonly Report[]): Matrix {
  const legs = newestDone(reports).flatMap((report) => report.legs);
  const regions = [...new Set(legs.map((leg) => leg.region))].sort();
  const lines = [...new Map(legs.map((leg) => [`${leg.operator} ${leg.whitelist}`, leg])).values()].sort(
    (a, b) => a.operator.localeCompare(b.operator) || Number(b.whitelist) - Number(a.whitelist),
  );
  const rows = lines.map(({ operator, whitelist }) => ({
    operator,
    whitelist,
    cells: regions.map((region) => {
      const here = legs.filter(
        (leg) => leg.operator === operator && leg.whitelist === whitelist && leg.region === region,
      );
      return {
        leg: here.find((leg) => !leg.reachable) ?? here[0],
        reached: here.filter((leg) => leg.reachable).length,
        asked: here.length,
      };
    }),
  }));
  return { regions, rows };
}

/** The share of operators that reached the flow, oldest first. */
export const trendOf = (reports: readonly Report[]): number[] =>
  reports
    .filter(({ state, total }) => state === "done" && total > 0)
    .map(({ passed, total }) => (100 * passed) / total)
    .reverse();
