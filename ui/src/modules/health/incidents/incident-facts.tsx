import { useTranslation } from "react-i18next";
import { Card, Facts } from "@/components/layout/card";
import { useFormat } from "@/text/use-format";
import type { IncidentDetail } from "./api";
import { incidentLikely, reachText, SubjectLink } from "./incident-text";

/** What an incident is about, and when it went from one state to the next. */
export function IncidentFacts({ incident }: { incident: IncidentDetail }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  const { cause, kind, subject_id: id, subject_name: name } = incident;
  const moment = (at: string | null) => (at ? format.moment(at) : undefined);
  const by = (at: string | null, who: string) => [moment(at), at && who].filter(Boolean).join(", ");
  const items = [
    { name: t("incident.facts.about"), value: <SubjectLink kind={kind} id={id} name={name} /> },
    {
      name: t("incident.facts.common"),
      value: cause && (cause.kind === "node" ? t("incident.facts.node", { name: cause.name }) : cause.name),
    },
    { name: t("incident.facts.likely"), value: incidentLikely(t, incident) },
    { name: t("incident.severityHead"), value: t(`incident.severity.${incident.severity}`) },
    { name: t("incident.reach"), value: reachText(t, incident) },
    { name: t("incident.facts.began"), value: moment(incident.began_at) },
    { name: t("incident.facts.certain"), value: moment(incident.opened_at) },
    {
      name: t("incident.facts.acknowledged"),
      value: by(incident.acknowledged_at, incident.acknowledged_by),
    },
    { name: t("incident.facts.mitigated"), value: moment(incident.mitigated_at) },
    { name: t("incident.facts.resolved"), value: by(incident.resolved_at, incident.resolved_by) },
    { name: t("incident.facts.reopened"), value: incident.reopened || undefined },
  ];
  return (
    <Card title={t("incident.facts.title")}>
      <Facts nameWidth={140} items={items.filter(({ value }) => Boolean(value))} />
    </Card>
  );
}
