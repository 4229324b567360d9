import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { RelativeTime } from "@/components/text/relative-time";
import { unresolvedQuery } from "./api";
import { incidentName, IncidentState, incidentWhat } from "./incident-text";
import classes from "./incidents.module.css";

/** The incident that a node or flow suffers from. */
export function IncidentLine({ subjectId }: { subjectId: string }) {
  const { t } = useTranslation("health");
  const incidents = useQuery(unresolvedQuery(subjectId)).data?.items ?? [];
  return incidents.map((incident) => (
    <p key={incident.id} className={classes.line}>
      <IncidentState incident={incident} />
      <span>
        {t("incident.partOf")}{" "}
        <Link to={`/monitoring/incidents/${incident.id}`}>
          {incidentName(t, incident)}: {incidentWhat(t, incident)}
        </Link>
      </span>
      <span className="dim">
        <RelativeTime at={incident.opened_at} />
      </span>
    </p>
  ));
}
