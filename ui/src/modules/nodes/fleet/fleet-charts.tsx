import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { ChartCard } from "@/components/chart/chart";
import { onGrid, timeGrid } from "@/components/chart/chart-data";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { useRange } from "@/components/screen/use-range";
import { useFormat } from "@/text/use-format";
import { useWindow } from "../node/use-window";
import { fleetMetricQuery, type FleetMetric } from "../shared/fleet";
import { useFleetMarks } from "./fleet-marks";

const step = 60;

function useFleetSeries(metrics: readonly FleetMetric[]) {
  const [range] = useRange("24h");
  const window = useWindow(range, null);
  const { from, to } = window;
  const results = useQueries({ queries: metrics.map((metric) => fleetMetricQuery(metric, from, to)) });
  const data = results.map((result) => result.data);
  const drawn = useMemo(() => {
    const wide = Math.max(step, ...data.map((series) => series?.step_seconds ?? 0));
    const times = timeGrid(Date.parse(from) / 1000, Date.parse(to) / 1000, wide);
    return { times, values: data.map((series) => onGrid(series?.points ?? [], times, wide)) };
    // The results are new objects at every drawing, their data are not.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [from, to, ...data]);
  const broken = results.find((result) => result.error && !result.data);
  return { ...window, ...drawn, broken, loaded: data.every(Boolean) };
}

/** Traffic of the whole fleet, in and out. */
export function TrafficChart() {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const { times, values, broken, loaded, zoom, from, to } = useFleetSeries(["net_rx_bps", "net_tx_bps"]);
  const marks = useFleetMarks(from, to);
  if (broken) return <ProblemView error={broken.error} onRetry={() => void broken.refetch()} />;
  if (!loaded) return <Skeleton height={210} />;
  const [received = [], sent = []] = values;
  const bits = format.commonBits(Math.max(0, ...received.concat(sent).filter((value) => value !== null)));
  return (
    <ChartCard
      title={t("charts.traffic")}
      unit={bits.unit}
      times={times}
      marks={marks}
      onZoom={zoom}
      axis={(value) => (value === 0 ? "0" : bits.write(value))}
      series={[
        { name: t("charts.in"), color: 2, values: received, format: bits.write },
        { name: t("charts.out"), color: 1, values: sent, format: bits.write },
      ]}
    />
  );
}

/** How many nodes reported, and the sessions on them. */
export function NodesChart() {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const { times, values, broken, loaded, zoom, from, to } = useFleetSeries(["online"]);
  const marks = useFleetMarks(from, to);
  if (broken) return <ProblemView error={broken.error} onRetry={() => void broken.refetch()} />;
  if (!loaded) return <Skeleton height={210} />;
  const whole = (value: number) => format.number(value);
  return (
    <ChartCard
      title={t("charts.online")}
      times={times}
      marks={marks}
      onZoom={zoom}
      axis={whole}
      series={[{ name: t("charts.reporting"), color: 2, values: values[0] ?? [], format: whole }]}
    />
  );
}
