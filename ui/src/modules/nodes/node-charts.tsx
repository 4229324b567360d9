import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { ChartCard } from "@/components/chart";
import { onGrid, timeGrid } from "@/components/chart-data";
import { ProblemView } from "@/components/problem-view";
import { Skeleton } from "@/components/states";
import { useNow } from "@/components/use-now";
import { useFormat } from "@/text/use-format";
import { metricQuery } from "./api";
import classes from "./node.module.css";
import { ranges, type Range } from "./ranges";
import type { Metric, NodeDetail, Series } from "./types";

const metrics: Metric[] = ["net_rx_bps", "net_tx_bps", "tcp_established", "cpu_pct", "mem_used", "load1"];

/** Four charts on one time base. */
export function NodeCharts({ node, range }: { node: NodeDetail; range: Range }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const { from, to } = useWindow(range, node.agent.enrolled_at);
  const results = useQueries({ queries: metrics.map((metric) => metricQuery(node.id, metric, from, to)) });
  const broken = results.find((result) => result.error && !result.data);
  const loaded = results.every((result) => result.data);
  const series = useMemo(() => Object.fromEntries(results.map((result, index) => [metrics[index]!, result.data])) as Record<Metric, Series | undefined>, [results]);
  const grid = useMemo(() => {
    const step = Math.max(15, ...Object.values(series).map((item) => item?.step_seconds ?? 0));
    const times = timeGrid(Date.parse(from) / 1000, Date.parse(to) / 1000, step);
    const values = (metric: Metric, scale = 1) => onGrid(series[metric]?.points ?? [], times, step).map((value) => (value === null ? null : value * scale));
    return { times, values };
  }, [series, from, to]);
  if (broken) return <ProblemView error={broken.error} onRetry={() => void broken.refetch()} tried={t("charts.failed")} />;
  if (!loaded) return <Skeleton height={420} />;
  const [received, sent] = [grid.values("net_rx_bps"), grid.values("net_tx_bps")];
  const bits = format.commonBits(Math.max(0, ...received.concat(sent).filter((value) => value !== null)));
  const whole = (value: number) => format.number(value);
  const percent = (value: number) => format.percent(value);
  const memory = node.metrics && node.metrics.mem_total > 0 ? 100 / node.metrics.mem_total : 0;
  return (
    <div className={classes.charts}>
      <ChartCard
        title={t("charts.traffic")}
        unit={bits.unit}
        times={grid.times}
        axis={(value) => (value === 0 ? "0" : bits.write(value))}
        series={[
          { name: t("charts.in"), color: 2, values: received, format: bits.write },
          { name: t("charts.out"), color: 1, values: sent, format: bits.write },
        ]}
      />
      <ChartCard title={t("charts.connections")} times={grid.times} axis={whole} series={[{ name: t("charts.open"), color: 1, values: grid.values("tcp_established"), format: whole }]} />
      <ChartCard
        title={t("charts.cpu")}
        unit="%"
        max={100}
        times={grid.times}
        axis={whole}
        series={[
          { name: t("charts.memory"), color: 6, values: grid.values("mem_used", memory), format: percent },
          { name: t("charts.processor"), color: 5, values: grid.values("cpu_pct"), format: percent },
        ]}
      />
      <ChartCard title={t("charts.load")} times={grid.times} axis={(value) => format.number(value, value < 10 ? 1 : 0)} series={[{ name: t("charts.one"), color: 3, values: grid.values("load1"), format: (value) => format.number(value, 2) }]} />
    </div>
  );
}

const refreshEvery = 15;

const shortest = 600;

/** The time window moves on with the interval of the samples, not with every second; a young node is not drawn as mostly nothing. */
function useWindow(range: Range, enrolledAt: string | null): { from: string; to: string } {
  const every = Math.max(refreshEvery, ranges[range] / 240);
  const end = Math.floor(useNow() / 1000 / every) * every;
  return useMemo(() => {
    const born = enrolledAt === null ? 0 : Date.parse(enrolledAt) / 1000;
    const begin = Math.max(end - ranges[range], Math.min(born, end - shortest));
    return { from: iso(begin), to: iso(end) };
  }, [end, range, enrolledAt]);
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
