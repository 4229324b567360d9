export interface ChartSeries {
  name: string;
  /** One value for each time; null is a gap and stays one. */
  values: (number | null)[];
  color: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
  format: (value: number) => string;
}

export interface ChartMark {
  at: number;
  text: string;
  failure?: boolean;
}

export interface TimePoint {
  at: string;
  value: number;
}

/** The even grid of times between two moments, in seconds. */
export function timeGrid(fromSeconds: number, toSeconds: number, step: number): number[] {
  const first = Math.ceil(fromSeconds / step) * step;
  const count = Math.max(0, Math.floor((toSeconds - first) / step) + 1);
  return Array.from({ length: count }, (_, index) => first + index * step);
}

/** Puts points on the grid; a time without a point is a gap. */
export function onGrid(points: readonly TimePoint[], grid: readonly number[], step: number): (number | null)[] {
  const byTime = new Map(points.map((point) => [Math.round(Date.parse(point.at) / 1000 / step) * step, point.value]));
  return grid.map((time) => byTime.get(time) ?? null);
}

/** Which time the labels of a chart are of: the one under the cursor, else the newest that any line has a value for. */
export function labelledIndex(series: readonly ChartSeries[], cursor: number | undefined): number | undefined {
  if (cursor !== undefined) return cursor;
  const newest = Math.max(...series.map((item) => item.values.findLastIndex((value) => value !== null)));
  return newest < 0 ? undefined : newest;
}

const apart = 28;

/** Below the plot stand the times, which no label may cover; a label ends a little below its plot at most. */
const axis = 22;

export interface ChartLabel {
  name: string;
  text: string;
  color: number;
  top: number;
}

/** Labels beside their lines with the values of one time, moved apart so that none covers another. */
export function placeLabels(
  series: readonly ChartSeries[],
  at: number | undefined,
  topOf: (value: number) => number,
  height: number,
): ChartLabel[] {
  const wanted = series.map((item): ChartLabel => {
    const value = at === undefined ? null : (item.values[at] ?? null);
    const nearest = item.values.slice(0, (at ?? 0) + 1).findLast((known) => known !== null) ?? 0;
    return {
      name: item.name,
      text: value === null ? "—" : item.format(value),
      color: item.color,
      top: topOf(value ?? nearest) - 8,
    };
  });
  wanted.sort((a, b) => a.top - b.top);
  wanted.forEach((label, index) => {
    const above = wanted[index - 1];
    if (above) label.top = Math.max(label.top, above.top + apart);
  });
  const overflow = (wanted.at(-1)?.top ?? 0) + apart - (height - axis);
  if (overflow > 0) wanted.forEach((label) => (label.top -= overflow));
  return wanted;
}
