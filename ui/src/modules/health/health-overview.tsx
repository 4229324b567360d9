import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AttentionItem } from "@/module";
import { unresolvedQuery } from "./incidents/api";
import { incidentGlyph, incidentLikely, incidentName, incidentWhat, reachText } from "./incidents/incident-text";
import { proposedQuery } from "./repairs/api";
import { actText } from "./repairs/repair-text";
import { summaryQuery } from "./shared/api";

/** What suffers now: one line for each incident, and one when the panel itself seems cut off. */
function useAttention(): AttentionItem[] {
  const { t } = useTranslation("health");
  const cutOff = useQuery(summaryQuery).data?.panel_cut_off ?? false;
  const incidents = useQuery(unresolvedQuery()).data?.items ?? [];
  const proposed = new Map(useQuery(proposedQuery).data?.items.map((one) => [one.incident_id, one]));
  const items = incidents
    .filter((incident) => incident.state !== "mitigated")
    .map((incident): AttentionItem => {
      const likely = incidentLikely(t, incident);
      const repair = proposed.get(incident.id);
      return {
        id: `incident-${incident.id}`,
        severity: incident.severity === "critical" ? "crit" : "warn",
        glyph: incidentGlyph(incident),
        name: incidentName(t, incident),
        count: Math.max(incident.suffering, 1),
        covers: incident.suffering_ids,
        members: incident.nodes + incident.connection_units > 1 ? reachText(t, incident) : undefined,
        what: incidentWhat(t, incident),
        effect: repair
          ? t("repair.proposes", { act: actText(t, repair.action) })
          : likely && t("likely", { hint: likely }),
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
