import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useFrame } from "@/api/figures";
import { serverNow } from "@/api/server-clock";
import { Sparkline } from "@/components/chart/spark";
import { Figure } from "@/components/layout/card";
import { useRange, type Range } from "@/components/screen/use-range";
import { Glyph } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import { fleetMetricQuery, summaryQuery, type FleetMetric } from "../shared/fleet";
import type { Series } from "../shared/types";
import { movingWindow } from "../node/use-window";
import { contactOf } from "./contact";
import { peakOf, trendOf } from "./trend";

/** What is known of the whole fleet now: the newest frame, else the summary that was read. */
export function useFleet() {
  const summary = useQuery(summaryQuery).data;
  const frame = useFrame((state) => state.fleet);
  return frame ?? summary;
}

/** The three figures of the fleet; they move with the stream. */
export function FleetFigures() {
  return (
    <>
      <NodesFigure />
      <SessionsFigure />
      <TrafficFigure />
    </>
  );
}

function NodesFigure() {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const fleet = useFleet();
  const attention = useQuery(summaryQuery).data?.attention ?? [];
  if (!fleet) return <Figure name={t("tile.nodes")} value="" />;
  const { reporting, silent, offline, degraded } = contactOf(fleet.states, attention);
  const note = [
    offline > 0 && t("tile.offline", { count: offline }),
    silent > 0 && t("tile.silent", { count: silent }),
    degraded > 0 && t("tile.degraded", { count: degraded }),
  ]
    .filter(Boolean)
    .join(", ");
  return (
    <Figure
      name={t("tile.nodes")}
      value={format.number(reporting)}
      of={t("tile.of", { total: format.number(fleet.total) })}
      note={
        note ? (
          <>
            <Glyph kind={offline > 0 ? "down" : "degraded"} />
            {note}
          </>
        ) : (
          t(fleet.total === 0 ? "tile.none" : "tile.calm")
        )
      }
    />
  );
}

function SessionsFigure() {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const figures = useFleet()?.figures;
  const series = useSeries("sessions");
  if (!figures) return <Figure name={t("tile.sessions")} value="" />;
  return (
    <Figure
      name={t("tile.sessions")}
      value={figures.sessions === null ? "—" : format.number(figures.sessions)}
      extra={<Trend series={series} label={t("tile.sessionsTrend")} />}
      note={
        figures.sessions === null
          ? t("tile.sessionsUnknown")
          : t("tile.from", { count: figures.nodes, shown: format.number(figures.nodes) })
      }
    />
  );
}

function TrafficFigure() {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const figures = useFleet()?.figures;
  const series = useSeries("net_tx_bps");
  if (!figures) return <Figure name={t("tile.traffic")} value="" />;
  const sent = format.bits(figures.net_tx_bps);
  const received = format.bits(figures.net_rx_bps);
  const peak = peakOf(series);
  const most = peak && format.bits(peak.value);
  return (
    <Figure
      name={t("tile.traffic")}
      value={sent.value}
      of={sent.unit}
      extra={<Trend series={series} label={t("tile.trafficTrend")} />}
      note={
        most && peak.value >= figures.net_tx_bps
          ? t("tile.peak", { value: `${most.value} ${most.unit}`, time: format.clock(peak.at) })
          : t("tile.in", { value: `${received.value} ${received.unit}` })
      }
    />
  );
}

/** The figures whose trend stands beside them. */
export const trends = ["sessions", "net_tx_bps"] as const satisfies FleetMetric[];

/** The trend of one figure up to the last full five minutes. */
export function trendQuery(metric: (typeof trends)[number], range: Range) {
  const { from, to } = movingWindow(Math.floor(serverNow() / 300_000) * 300, range, null);
  return fleetMetricQuery(metric, from, to);
}

function useSeries(metric: (typeof trends)[number]): Series | undefined {
  const [range] = useRange("24h");
  return useQuery(trendQuery(metric, range)).data;
}

function Trend({ series, label }: { series: Series | undefined; label: string }) {
  const values = trendOf(series);
  return values.length < 2 ? null : <Sparkline values={values} width={64} label={label} />;
}
