import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { ActEffect } from "@/components/dialog/act-dialog";
import type { Node } from "../shared/types";

type FlowBody = components["schemas"]["FlowsFlow"];
/** The description cannot say that a flow may have no entry yet. */
type Flow = Pick<FlowBody, "id" | "name" | "node_ids"> & { entry: Pick<FlowBody["entry"], "node_id"> | null };

type Translate = (key: string, values?: Record<string, unknown>) => string;

const askedOneByOne = 5;
const mostPages = 25;

/** The flows whose installed configuration runs on one of these nodes. */
export const flowsOnNodesQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ["flows", "on-nodes", ...ids],
    queryFn: async ({ signal }): Promise<Flow[]> => {
      const wanted = new Set(ids);
      const filters = ids.length <= askedOneByOne ? ids.map((node_id) => ({ node_id })) : [{}];
      const lists = await Promise.all(filters.map((filter) => everyPage(filter, signal)));
      const found = new Map(lists.flat().map((flow) => [flow.id, flow]));
      return [...found.values()].filter((flow) => flow.node_ids.some((id) => wanted.has(id)));
    },
    staleTime: 5_000,
    retry: false,
  });

async function everyPage(filter: { node_id?: string }, signal: AbortSignal): Promise<Flow[]> {
  const flows: Flow[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const query = { ...filter, limit: 200, cursor };
    const read = await answer(api.GET("/api/v1/connection-units", { params: { query }, signal }));
    flows.push(...(read.items ?? []));
    if (!read.next_cursor) return flows;
    cursor = read.next_cursor;
  }
  throw new Error("there are more flows than can be read at once");
}

/**
 * What stands on these nodes: each flow with the part of it that is among them, and the open connections. Only an act
 * that cuts them is shown as an outage.
 */
export function effectsOn(nodes: readonly Node[], flows: readonly Flow[], cuts: boolean, t: Translate): ActEffect[] {
  const hit = new Set(nodes.map((node) => node.id));
  const all: ActEffect[] = flows.map((flow) => {
    const own = flow.node_ids.filter((id) => hit.has(id)).length;
    const entry = flow.entry !== null && hit.has(flow.entry.node_id);
    const whole = own === flow.node_ids.length;
    return {
      key: flow.id,
      glyph: !cuts ? undefined : entry || whole ? "down" : "degraded",
      name: flow.name,
      path: `/flows/${flow.id}`,
      text: t(wordOf(cuts, entry, whole), { own, all: flow.node_ids.length }),
    };
  });
  if (!cuts && all.length > 0) all.unshift({ key: "uncut", glyph: "healthy", text: t("act.uncut") });
  if (flows.length === 0) all.push({ key: "none", glyph: "healthy", text: t("act.noFlow") });
  const measured = nodes.filter((node) => node.agent.connected && node.metrics);
  if (measured.length > 0) {
    all.push(openOn(measured, t));
  }
  if (measured.length < nodes.length) {
    all.push({ key: "silent", glyph: "no-data", text: t("act.silent", { count: nodes.length - measured.length }) });
  }
  return all;
}

function wordOf(cuts: boolean, entry: boolean, whole: boolean): string {
  if (entry) return cuts ? "act.flowEntry" : "act.flowEnters";
  if (whole) return cuts ? "act.flowWhole" : "act.flowAlone";
  return "act.flowPart";
}

function openOn(nodes: readonly Node[], t: Translate): ActEffect {
  return { key: "connections", glyph: "no-data", text: openText(nodes, t) };
}

/**
 * How much is open on nodes that report: sessions of the listeners, or where an agent does not count them, the
 * connections of the whole host.
 */
export function openText(nodes: readonly Node[], t: Translate): string {
  const sum = (pick: (metrics: NonNullable<Node["metrics"]>) => number) =>
    nodes.reduce((total, node) => total + pick(node.metrics!), 0);
  return nodes.every((node) => node.metrics!.sessions !== null)
    ? t("act.sessions", { count: sum((metrics) => metrics.sessions ?? 0) })
    : t("act.connections", { count: sum((metrics) => metrics.tcp_established) });
}
