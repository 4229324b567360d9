import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Figure } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import type { AttentionItem } from "@/module";
import { useFormat } from "@/text/use-format";
import { fleetQuery, summaryQuery } from "../shared/api";
import { bySeverity, configOf, healthOf, needsAttention } from "../shared/node-status";
import type { Node } from "../shared/types";
import { FleetStrip } from "./fleet-strip";

function Tile() {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const summary = useQuery(summaryQuery).data;
  if (!summary) return <Figure name={t("tile.nodes")} value="" />;
  const { states, total } = summary;
  const online = (states.online ?? 0) + (states.degraded ?? 0);
  const offline = states.offline ?? 0;
  const degraded = states.degraded ?? 0;
  const note = [
    offline > 0 && t("tile.offline", { count: offline }),
    degraded > 0 && t("tile.degraded", { count: degraded }),
  ]
    .filter(Boolean)
    .join(", ");
  return (
    <>
      <Figure
        name={t("tile.nodes")}
        value={format.number(online)}
        of={t("tile.of", { total: format.number(total) })}
        note={
          note ? (
            <>
              <Glyph kind={offline > 0 ? "down" : "degraded"} />
              {note}
            </>
          ) : (
            t(total === 0 ? "tile.none" : "tile.calm")
          )
        }
      />
      <TrafficFigure />
    </>
  );
}

function TrafficFigure() {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const fleet = useQuery(fleetQuery).data;
  const reporting = (fleet?.items ?? []).filter((node) => node.agent.connected && node.metrics);
  const sum = (pick: (node: Node) => number) => reporting.reduce((total, node) => total + pick(node), 0);
  const sent = format.bits(sum((node) => node.metrics!.net_tx_bps));
  const received = format.bits(sum((node) => node.metrics!.net_rx_bps));
  return (
    <>
      <Figure
        name={t("tile.connections")}
        value={format.number(sum((node) => node.metrics!.tcp_established))}
        note={t("tile.from", { count: reporting.length })}
      />
      <Figure
        name={t("tile.traffic")}
        value={sent.value}
        of={sent.unit}
        note={t("tile.in", { value: `${received.value} ${received.unit}` })}
      />
    </>
  );
}

function Strip() {
  const fleet = useQuery(fleetQuery).data;
  const summary = useQuery(summaryQuery).data;
  if (!fleet || fleet.total === 0) return null;
  return <FleetStrip nodes={fleet.items} total={fleet.total} summary={summary} />;
}

function useAttention(): AttentionItem[] {
  const { t } = useTranslation("nodes");
  const fleet = useQuery(fleetQuery).data;
  return (fleet?.items ?? [])
    .filter(needsAttention)
    .sort(bySeverity)
    .slice(0, 8)
    .map((node): AttentionItem => {
      const [health, config] = [healthOf(node), configOf(node)];
      const running = node.state === "online";
      return {
        id: node.id,
        severity: node.state === "offline" || config.glyph === "failed" ? "crit" : "warn",
        glyph: running ? config.glyph : health.glyph,
        name: node.name,
        what: running
          ? t(config.word)
          : node.reasons.map((reason) => t(`reason.${reason}`, { defaultValue: reason })).join(", ") || t(health.word),
        effect: node.city || node.address,
        since: node.agent.last_seen_at && node.state === "offline" ? node.agent.last_seen_at : undefined,
        act: { label: t("acts.open"), path: `/nodes/${node.id}` },
      };
    });
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

export default { Tile, Strip, useAttention, useFirstStep };
