import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { hintText } from "../shared/verdict";
import type { Incident } from "./api";

type Words = TFunction<"health">;

/** What an incident is called: the one it is told of by, or what those who suffer have in common. */
export function incidentName(t: Words, { cause, subject_name: name }: Incident): string {
  return cause && cause.kind !== "node" ? t(`incident.cause.${cause.kind}`, { name: cause.name }) : name;
}

/** The likely cause, as a sentence. */
export function incidentWhat(t: Words, { root_cause_hint: hint, severity }: Incident): string {
  return t(`incident.what.${hint || severity}`);
}

/** What may be behind it, where that says more than the sentence. */
export function incidentLikely(t: Words, { root_cause_hint: hint }: Incident): string {
  return hintText(t, { reason: "", hint });
}

/** How many suffer, or did. */
export function reachText(t: Words, { nodes, connection_units: flows }: Incident): string {
  return [nodes > 0 && t("incident.nodes", { count: nodes }), flows > 0 && t("incident.flows", { count: flows })]
    .filter(Boolean)
    .join(", ");
}

/** The shape of an incident: how bad it is while somebody suffers, quiet when it is over. */
export function incidentGlyph({ state, severity }: Incident): GlyphKind {
  if (state === "resolved" || state === "mitigated") return "healthy";
  return severity === "critical" ? "down" : "degraded";
}

/** The state of an incident as shape and word. */
export function IncidentState({ incident, inTable }: { incident: Incident; inTable?: boolean }) {
  const { t } = useTranslation("health");
  return (
    <Status kind={incidentGlyph(incident)} inTable={inTable}>
      {t(`incident.state.${incident.state}`)}
    </Status>
  );
}

/** A node or flow that leads to how it does. */
export function SubjectLink({ kind, id, name }: { kind: Incident["kind"]; id: string; name: string }) {
  return <Link to={`/monitoring/${kind === "node" ? "nodes" : "flows"}/${id}`}>{name}</Link>;
}
