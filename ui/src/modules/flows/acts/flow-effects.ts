import type { ActEffect } from "@/components/dialog/act-dialog";
import type { Flow, NodeNow } from "../shared/api";
import { serves } from "../shared/states";

/** What is done to a whole flow. */
export type FlowAct = "disable" | "enable" | "delete";

/** Why a chosen flow does not take part, as the key of the words; undefined when it does. */
export function leftOut(act: FlowAct, flow: Flow): string | undefined {
  if (flow.state === "applying") return "act.leftApplying";
  if (act === "delete") return undefined;
  if (flow.installed_revision === null) return "act.leftNever";
  if (act === "disable") return flow.enabled ? undefined : "act.leftStopped";
  return flow.enabled ? "act.leftServes" : undefined;
}

interface TouchedNodes {
  ids: readonly string[];
  known: readonly NodeNow[];
  /** Whether the account may see nodes. */
  sees: boolean;
}

type Translate = (key: string, values?: Record<string, unknown>) => string;

/** What an act hits now: each flow with its clients, each node, and the connections that are open on those. */
export function effectsOnFlows(
  act: FlowAct,
  flows: readonly Flow[],
  { ids, known, sees }: TouchedNodes,
  t: Translate,
): ActEffect[] {
  const effects: ActEffect[] = flows.map((flow) => {
    const count = flow.client_counts.total;
    const key = act === "enable" ? "act.gains" : serves(flow) ? "act.loses" : "act.servesNobody";
    return {
      key: flow.id,
      glyph: act !== "enable" && serves(flow) ? "down" : "no-data",
      name: flow.name,
      path: `/flows/${flow.id}`,
      text: t(key, { count, number: flow.installed_version_number }),
    };
  });
  if (ids.length === 0) return [...effects, { key: "none", glyph: "healthy", text: t("act.noNode") }];
  if (!sees)
    return [...effects, { key: "unseen", glyph: "no-data", text: t("act.unseenNodes", { count: ids.length }) }];
  effects.push(
    ...known.map((node): ActEffect => ({
      key: node.id,
      glyph: "no-data",
      name: node.name,
      path: `/nodes/${node.id}`,
      text: t(act === "enable" ? "act.nodeGets" : "act.nodeDrops"),
    })),
  );
  if (ids.length > known.length)
    effects.push({ key: "more", glyph: "no-data", text: t("act.moreNodes", { count: ids.length - known.length }) });
  const counted = known.filter((node) => node.connections !== undefined);
  if (act !== "enable" && counted.length > 0) {
    const count = counted.reduce((sum, node) => sum + node.connections!, 0);
    effects.push({ key: "connections", glyph: "no-data", text: t("act.connections", { count }) });
  }
  return effects;
}
