import { useQueries, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { serverNow } from "@/api/server-clock";
import { ChartCard } from "@/components/chart/chart";
import { onGrid, timeGrid } from "@/components/chart/chart-data";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import type { PastProps, PastTrack } from "@/module";
import { useFormat } from "@/text/use-format";
import { fleetMetricQuery, type FleetMetric } from "../shared/fleet";
import classes from "./past.module.css";

const around = 6 * 3_600_000;
const hour = 3_600_000;
const metrics: FleetMetric[] = ["net_rx_bps", "net_tx_bps"];

/** Whole hours around a moment, so that one that is near finds the same window. */
export function windowAround(at: number, now: number): { from: string; to: string } {
  const begin = Math.floor((at - around) / hour) * hour;
  const end = Math.min(begin + 2 * around + hour, Math.ceil(now / 60_000) * 60_000);
  return { from: new Date(begin).toISOString(), to: new Date(end).toISOString() };
}

/** What flowed around a moment, which is marked. */
export function PastTraffic({ at }: PastProps) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const { from, to } = windowAround(Date.parse(at), serverNow());
  const results = useQueries({ queries: metrics.map((metric) => fleetMetricQuery(metric, from, to)) });
  const broken = results.find((result) => result.error && !result.data);
  if (broken) return <ProblemView error={broken.error} onRetry={() => void broken.refetch()} />;
  if (results.some((result) => !result.data)) return <Skeleton height={210} />;
  const step = Math.max(60, ...results.map((result) => result.data?.step_seconds ?? 0));
  const times = timeGrid(Date.parse(from) / 1000, Date.parse(to) / 1000, step);
  const [received = [], sent = []] = results.map((result) => onGrid(result.data?.points ?? [], times, step));
  const bits = format.commonBits(Math.max(0, ...received.concat(sent).filter((value) => value !== null)));
  return (
    <ChartCard
      title={t("charts.traffic")}
      unit={bits.unit}
      times={times}
      marks={[{ at: Date.parse(at) / 1000, text: format.clock(at) }]}
      axis={(value) => (value === 0 ? "0" : bits.write(value))}
      series={[
        { name: t("charts.in"), color: 2, values: received, format: bits.write },
        { name: t("charts.out"), color: 1, values: sent, format: bits.write },
      ]}
    />
  );
}

/** How many nodes did not do well over time, as bars along the slider. */
export function TroubleTrack({ from, to }: PastTrack) {
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  return (
    <span className={classes.track}>
      <Bars metric="degraded" begin={begin} end={end} />
      <Bars metric="offline" begin={begin} end={end} />
    </span>
  );
}

function Bars({ metric, begin, end }: { metric: FleetMetric; begin: number; end: number }) {
  const span = { from: new Date(begin).toISOString(), to: new Date(end).toISOString() };
  const series = useQuery(fleetMetricQuery(metric, span.from, span.to)).data;
  const points = (series?.points ?? []).filter((point) => point.value > 0);
  const most = Math.max(...points.map((point) => point.value), 1);
  const width = ((series?.step_seconds ?? 60) * 100_000) / (end - begin);
  return points.map((point) => (
    <i
      key={point.at}
      data-metric={metric}
      style={{
        left: `${Math.max(0, (100 * (Date.parse(point.at) - begin)) / (end - begin))}%`,
        width: `max(2px, ${width}%)`,
        height: `${Math.max(20, (100 * point.value) / most)}%`,
      }}
    />
  ));
}
