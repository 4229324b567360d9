import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { ChartCard } from "@/components/chart/chart";
import { timeGrid, type ChartSeries } from "@/components/chart/chart-data";
import { useFormat } from "@/text/use-format";
import type { Diversity } from "./api";

/** How many points a week is drawn with; each is the most of its part. */
const points = 336;

/** How many sources were connected in a week, and how many of them at the same time. */
export function SourcesChart({ diversity }: { diversity: Diversity }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const { times, sources, concurrent } = useMemo(() => seriesOf(diversity), [diversity]);
  const write = (value: number) => format.number(value);
  const series: ChartSeries[] = [
    { name: t("chart.sources"), values: sources, color: 1, format: write },
    { name: t("chart.concurrent"), values: concurrent, color: 3, format: write },
  ];
  return <ChartCard title={t("chart.title")} unit={t("chart.unit")} times={times} series={series} axis={write} />;
}

/** The most of each part of the time; a part in which nothing was seen has no value, for unknown is not zero. */
export function seriesOf({ from, to, step_s: step, windows }: Diversity) {
  const begin = Date.parse(from) / 1000;
  const end = Date.parse(to) / 1000;
  const part = Math.max(step, Math.ceil((end - begin) / points / step) * step);
  const times = timeGrid(begin, end, part);
  const at = new Map(times.map((time, index) => [time, index]));
  const sources: (number | null)[] = times.map(() => null);
  const concurrent: (number | null)[] = times.map(() => null);
  for (const window of windows) {
    const index = at.get(Math.floor(Date.parse(window.at) / 1000 / part) * part);
    if (index === undefined) continue;
    sources[index] = Math.max(sources[index] ?? 0, window.sources);
    concurrent[index] = Math.max(concurrent[index] ?? 0, window.max_concurrent);
  }
  return { times, sources, concurrent };
}
