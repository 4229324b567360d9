import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ranges, type Range } from "@/components/screen/use-range";
import type { AttentionItem, PastProps, Start } from "@/module";
import { useFormat } from "@/text/use-format";
import { cellsQuery, summaryQuery } from "../shared/fleet";
import { useKnown } from "../past/moment";
import { PastFailing } from "../past/past-failing";
import { PastFigures, PastStrip } from "../past/past-fleet";
import { PastTraffic, TroubleTrack } from "../past/past-traffic";
import { NodesChart, TrafficChart } from "./fleet-charts";
import { FleetStrip } from "./fleet-strip";
import { incidentItems } from "./incidents";
import { RegionsCard } from "./regions-card";
import { StateChanges } from "./state-changes";
import { FleetFigures, trendQuery, trends } from "./tiles";
import { useToldSummary } from "./use-told-summary";

function ahead({ queries, search }: Start): Promise<unknown> {
  const range = typeof search.range === "string" && search.range in ranges ? (search.range as Range) : "24h";
  return Promise.all([
    queries.prefetchQuery(summaryQuery),
    queries.prefetchQuery(cellsQuery),
    ...trends.map((metric) => queries.prefetchQuery(trendQuery(metric, range))),
  ]);
}

function useAttention(): AttentionItem[] {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const summary = useToldSummary();
  return summary ? incidentItems(summary, t, (iso) => format.clock(iso)) : [];
}

function useFirstStep() {
  const { t } = useTranslation("nodes");
  const summary = useQuery(summaryQuery).data;
  if (!summary) return undefined;
  return {
    order: 2,
    title: t("first.title"),
    text: t("first.text"),
    act: t("add"),
    path: "/nodes/new",
    done: summary.total > 0,
  };
}

/** Below the failures of a moment, what flowed around it. */
function PastMain(props: PastProps) {
  return (
    <>
      <PastFailing {...props} />
      <PastTraffic {...props} />
    </>
  );
}

/** The charts of the fleet and its regions; an empty fleet has none. */
function Cards() {
  const total = useQuery(summaryQuery).data?.total ?? 0;
  if (total === 0) return null;
  return (
    <>
      <TrafficChart />
      <NodesChart />
      <RegionsCard />
    </>
  );
}

export default {
  ahead,
  Tile: FleetFigures,
  Strip: FleetStrip,
  Card: Cards,
  Fallback: StateChanges,
  Past: { useKnown, Track: TroubleTrack, Tile: PastFigures, Strip: PastStrip, Main: PastMain },
  useAttention,
  useFirstStep,
};
