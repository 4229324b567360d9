import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AttentionItem } from "@/module";
import { summaryQuery, troubledNodesQuery, type Subject } from "./shared/api";
import { hintText, reasonText } from "./shared/verdict";
import { stateGlyph } from "./shared/states";

const named = 3;

/** Whether an agent is heard is told by the list of nodes; health tells what that list cannot know. */
function isHealthsOwn({ maintenance, state, checks }: Subject): boolean {
  const heard = checks.find(({ check }) => check === "heartbeat")?.state === "up";
  const runs = checks.find(({ check }) => check === "core")?.state !== "down";
  return heard && runs && !maintenance && (state === "down" || state === "degraded");
}

/** Nodes whose agents are well and that others cannot reach all the same: one line for each reason, the worst first. */
function useAttention(): AttentionItem[] {
  const { t } = useTranslation("health");
  const cutOff = useQuery(summaryQuery).data?.panel_cut_off ?? false;
  const nodes = useQuery(troubledNodesQuery).data?.filter(isHealthsOwn) ?? [];
  const causes = [...new Set(nodes.map(({ state, reason }) => `${state} ${reason}`))];
  const items = causes.flatMap((cause): AttentionItem[] => {
    const [first, ...rest] = nodes.filter(({ state, reason }) => `${state} ${reason}` === cause);
    if (!first || (first.state !== "down" && first.state !== "degraded")) return [];
    const count = rest.length + 1;
    const hint = hintText(t, first);
    return [
      {
        id: `health-${cause}`,
        severity: first.state === "down" ? "crit" : "warn",
        glyph: stateGlyph[first.state],
        count,
        name: count > 1 ? t("attention.nodes", { count }) : first.name,
        members: count > 1 ? membersOf([first, ...rest]) : undefined,
        what: reasonText(t, first),
        effect: hint && t("likely", { hint }),
        since: first.since,
        act:
          count > 1
            ? { label: t("attention.show"), path: "/monitoring", search: { state: first.state } }
            : { label: t("attention.open"), path: `/monitoring/nodes/${first.id}` },
      },
    ];
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

function membersOf(nodes: readonly Subject[]): string {
  const names = nodes.slice(0, named).map(({ name }) => name);
  return `${names.join(", ")}${nodes.length > named ? "…" : ""}`;
}

export default { useAttention };
