import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { ChartCard } from "@/components/chart/chart";
import { onGrid, timeGrid } from "@/components/chart/chart-data";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { useFormat } from "@/text/use-format";
import { metricQuery } from "../shared/api";
import classes from "./node.module.css";
import { useChartMarks } from "./chart-marks";
import type { Range } from "./ranges";
import { useWindow } from "./use-window";
import type { Metric, NodeDetail, Series } from "../shared/types";

const metrics: Metric[] = ["net_rx_bps", "net_tx_bps", "sessions", "tcp_established", "cpu_pct", "mem_used", "load1"];

/** Four charts on one time base. */
export function NodeCharts({ node, range }: { node: NodeDetail; range: Range }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const { from, to, zoomed, zoom, reset } = useWindow(range, node.agent.enrolled_at);
  const marks = useChartMarks(node, from, to);
  const results = useQueries({ queries: metrics.map((metric) => metricQuery(node.id, metric, from, to)) });
  const broken = results.find((result) => result.error && !result.data);
  const loaded = results.every((result) => result.data);
  const series = useMemo(
    () =>
      Object.fromEntries(results.map((result, index) => [metrics[index]!, result.data])) as Record<
        Metric,
        Series | undefined
      >,
    [results],
  );
  const grid = useMemo(() => {
    const step = Math.max(15, ...Object.values(series).map((item) => item?.step_seconds ?? 0));
    const times = timeGrid(Date.parse(from) / 1000, Date.parse(to) / 1000, step);
    const values = (metric: Metric, scale = 1) =>
      onGrid(series[metric]?.points ?? [], times, step).map((value) => (value === null ? null : value * scale));
    return { times, values };
  }, [series, from, to]);
  if (broken)
    return <ProblemView error={broken.error} onRetry={() => void broken.refetch()} tried={t("charts.failed")} />;
  if (!loaded) return <Skeleton height={420} />;
  const [received, sent] = [grid.values("net_rx_bps"), grid.values("net_tx_bps")];
  const bits = format.commonBits(Math.max(0, ...received.concat(sent).filter((value) => value !== null)));
  // An older agent does not count sessions; the connections of its host are another thing and have another name.
  const counted = (series.sessions?.points ?? []).length > 0;
  const whole = (value: number) => format.number(value);
  const percent = (value: number) => format.percent(value);
  const memory = node.metrics && node.metrics.mem_total > 0 ? 100 / node.metrics.mem_total : 0;
  return (
    <div className={classes.charts}>
      {zoomed && (
        <div className={classes.zoomed} role="status">
          <span className="num">{`${format.moment(from)} – ${format.moment(to)}`}</span>
          <Action kind="link" onClick={reset}>
            {t("charts.wholeRange")}
          </Action>
        </div>
      )}
      <ChartCard
        title={t("charts.traffic")}
        unit={bits.unit}
        times={grid.times}
        marks={marks}
        onZoom={zoom}
        axis={(value) => (value === 0 ? "0" : bits.write(value))}
        series={[
          { name: t("charts.in"), color: 2, values: received, format: bits.write },
          { name: t("charts.out"), color: 1, values: sent, format: bits.write },
        ]}
      />
      <ChartCard
        title={t(counted ? "charts.sessions" : "charts.tcp")}
        times={grid.times}
        marks={marks}
        onZoom={zoom}
        axis={whole}
        series={[
          {
            name: t("charts.open"),
            color: 1,
            values: grid.values(counted ? "sessions" : "tcp_established"),
            format: whole,
          },
        ]}
      />
      <ChartCard
        title={t("charts.cpu")}
        unit="%"
        max={100}
        times={grid.times}
        marks={marks}
        onZoom={zoom}
        axis={whole}
        series={[
          { name: t("charts.memory"), color: 6, values: grid.values("mem_used", memory), format: percent },
          { name: t("charts.processor"), color: 5, values: grid.values("cpu_pct"), format: percent },
        ]}
      />
      <ChartCard
        title={t("charts.load")}
        times={grid.times}
        marks={marks}
        onZoom={zoom}
        axis={(value) => format.number(value, value < 10 ? 1 : 0)}
        series={[
          { name: t("charts.one"), color: 3, values: grid.values("load1"), format: (value) => format.number(value, 2) },
        ]}
      />
    </div>
  );
}
