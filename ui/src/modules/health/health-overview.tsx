import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AttentionItem } from "@/module";
import { unresolvedQuery, type Incident } from "./incidents/api";
import { incidentGlyph, incidentLikely, incidentName, incidentWhat, reachText } from "./incidents/incident-text";
import { summaryQuery, troubledNodesQuery, type Subject } from "./shared/api";

/** The list of nodes tells whether an agent is heard and its core runs; health tells what that list cannot know. */
function isHealthsOwn({ checks }: Subject): boolean {
  const heard = checks.find(({ check }) => check === "heartbeat")?.state === "up";
  const runs = checks.find(({ check }) => check === "core")?.state !== "down";
  return heard && runs;
}

/** Whether an incident says no more than the line of its node does. */
function isToldByNodes(
  { kind, nodes, connection_units: flows, subject_id: id }: Incident,
  troubled: Subject[],
): boolean {
  if (kind !== "node" || nodes + flows > 1) return false;
  const node = troubled.find((one) => one.id === id);
  return node !== undefined && !isHealthsOwn(node);
}

/** What suffers now: one line for each incident, and one when the panel itself seems cut off. */
function useAttention(): AttentionItem[] {
  const { t } = useTranslation("health");
  const cutOff = useQuery(summaryQuery).data?.panel_cut_off ?? false;
  const troubled = useQuery(troubledNodesQuery).data ?? [];
  const incidents = useQuery(unresolvedQuery()).data?.items ?? [];
  const items = incidents
    .filter((incident) => incident.state !== "mitigated" && !isToldByNodes(incident, troubled))
    .map((incident): AttentionItem => {
      const likely = incidentLikely(t, incident);
      return {
        id: `incident-${incident.id}`,
        severity: incident.severity === "critical" ? "crit" : "warn",
        glyph: incidentGlyph(incident),
        name: incidentName(t, incident),
        members: incident.nodes + incident.connection_units > 1 ? reachText(t, incident) : undefined,
        what: incidentWhat(t, incident),
        effect: likely && t("likely", { hint: likely }),
        since: incident.began_at,
        act: { label: t("attention.open"), path: `/monitoring/incidents/${incident.id}` },
      };
    });
  if (!cutOff) return items;
  const panel: AttentionItem = {
    id: "health-cut-off",
    severity: "crit",
    glyph: "no-data",
    name: t("attention.panel"),
    what: t("attention.cutOff"),
    act: { label: t("attention.show"), path: "/monitoring" },
  };
  return [panel, ...items];
}

export default { useAttention };
