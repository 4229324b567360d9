import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AttentionItem, PastProps } from "@/module";
import { useFormat } from "@/text/use-format";
import { summaryQuery } from "../shared/fleet";
import { useKnown } from "../past/moment";
import { PastFailing } from "../past/past-failing";
import { PastFigures, PastStrip } from "../past/past-fleet";
import { PastTraffic, TroubleTrack } from "../past/past-traffic";
import { NodesChart, TrafficChart } from "./fleet-charts";
import { FleetStrip } from "./fleet-strip";
import { incidentItems } from "./incidents";
import { RegionsCard } from "./regions-card";
import { StateChanges } from "./state-changes";
import { FleetFigures } from "./tiles";

function useAttention(): AttentionItem[] {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const summary = useQuery(summaryQuery).data;
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
  Tile: FleetFigures,
  Strip: FleetStrip,
  Card: Cards,
  Fallback: StateChanges,
  Past: { useKnown, Track: TroubleTrack, Tile: PastFigures, Strip: PastStrip, Main: PastMain },
  useAttention,
  useFirstStep,
};
