import type { Series } from "../shared/types";

const mostPoints = 48;

/** A series as the few points that a line of text can show: means of equal parts. */
export function trendOf(series: Series | undefined): number[] {
  const values = (series?.points ?? []).map((point) => point.value);
  const size = Math.max(1, Math.ceil(values.length / mostPoints));
  const means: number[] = [];
  for (let at = 0; at < values.length; at += size) {
    const part = values.slice(at, at + size);
    means.push(part.reduce((sum, value) => sum + value, 0) / part.length);
  }
  return means;
}

export function peakOf(series: Series | undefined): { at: string; value: number } | undefined {
  const points = series?.points ?? [];
  return points.length < 2 ? undefined : points.reduce((most, point) => (point.value > most.value ? point : most));
}
