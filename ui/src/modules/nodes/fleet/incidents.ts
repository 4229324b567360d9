import type { AttentionItem } from "@/module";
import type { Incident, NodeSummary } from "../shared/fleet";

type Words = (key: string, values?: Record<string, unknown>) => string;

const named = 3;
const sameMoment = 60_000;
const mostOfAll = 0.8;
const fewest = 3;

/** What health sees as well: a line about the contact with an agent, or about its core. */
const seenByHealth: readonly Incident["cause"][] = ["agent_lost", "agent_stale", "core_failed", "core_stopped"];

const glyphs = { offline: "down", degraded: "degraded" } as const;

/** Incidents of the fleet as lines of "needs attention", and one that says what is left out. */
export function incidentItems(
  { attention, attention_nodes, total }: Pick<NodeSummary, "attention" | "attention_nodes" | "total">,
  t: Words,
  clock: (iso: string) => string,
): AttentionItem[] {
  const items = attention.map((incident) => itemOf(incident, total, t, clock));
  const told = attention.reduce((sum, incident) => sum + incident.nodes, 0);
  if (attention_nodes > told) {
    items.push({
      id: "nodes-rest",
      severity: "warn",
      glyph: "degraded",
      count: attention_nodes - told,
      name: t("incident.nodes", { count: attention_nodes - told }),
      what: t("incident.rest"),
      act: { label: t("acts.show"), path: "/nodes" },
    });
  }
  return items;
}

function itemOf(incident: Incident, total: number, t: Words, clock: (iso: string) => string): AttentionItem {
  const only = incident.nodes === 1 ? incident.first[0] : undefined;
  return {
    id: `${incident.cause}-${incident.first[0]?.id ?? incident.since}`,
    severity: incident.state === "offline" || incident.cause === "core_failed" ? "crit" : "warn",
    glyph: glyphs[incident.state],
    count: incident.nodes,
    name: only?.name ?? t("incident.nodes", { count: incident.nodes }),
    what: [t(`incident.${incident.cause}`), only ? "" : whenOf(incident, t, clock)].filter(Boolean).join(" "),
    members: only ? undefined : membersOf(incident, total, t),
    effect: effectOf(incident, t),
    since: incident.since,
    about: seenByHealth.includes(incident.cause) ? incident.ids : undefined,
    act: only
      ? { label: t("acts.open"), path: `/nodes/${only.id}` }
      : { label: t("acts.show"), path: "/nodes", search: { state: listedAs(incident) } },
  };
}

/** Nodes that stay silent become offline one after another: a list of the degraded alone would lose them meanwhile. */
function listedAs({ cause, state }: Incident): Incident["state"] | "attention" {
  return cause === "agent_stale" ? "attention" : state;
}

function whenOf({ since, until }: Incident, t: Words, clock: (iso: string) => string): string {
  if (Date.parse(until) - Date.parse(since) < sameMoment) return t("incident.at", { time: clock(since) });
  return t("incident.between", { from: clock(since), to: clock(until) });
}

/** The first of the nodes by name; when most of the fleet is gone at once, that the panel itself may be the cause. */
function membersOf({ cause, nodes, first }: Incident, total: number, t: Words): string {
  const names = first.slice(0, named).map(({ name }) => name);
  const rest = nodes - names.length;
  const list = rest > 0 ? t("incident.andMore", { names: names.join(", "), count: rest }) : names.join(", ");
  const suspicious = cause === "agent_lost" && nodes >= fewest && nodes >= mostOfAll * total;
  return suspicious ? `${list}. ${t("incident.ownLine")}` : list;
}

function effectOf({ flows, first_flows }: Incident, t: Words): string {
  if (flows === null) return "";
  if (flows === 0) return t("incident.noFlow");
  const names = first_flows.slice(0, named).map(({ name }) => name);
  const text = t("incident.flows", { count: flows });
  return names.length === 0 ? text : `${text}: ${names.join(", ")}${flows > names.length ? "…" : ""}`;
}
