import { z } from "zod";
import type { Flow } from "../shared/api";
import { needsWork, worstFirst } from "../shared/states";

const text = z.coerce.string().optional().catch(undefined);

/** What the address of the list says: which flows, in which order. Without an order, the worst stand first. */
export const flowListSearch = z.object({
  q: text,
  tag: text,
  view: z.enum(["all", "config", "health", "bypassed"]).catch("all"),
  health: z.enum(["down", "degraded", "unknown", "healthy"]).optional().catch(undefined),
  sort: z.enum(["worst", "name", "-name", "installed_at", "-installed_at"]).catch("worst"),
  create: z.enum(["blank", "single", "pair", "shadowsocks"]).optional().catch(undefined),
});

export type FlowListSearch = z.output<typeof flowListSearch>;

export const viewFilters: Record<FlowListSearch["view"], (flow: Flow) => boolean> = {
  all: () => true,
  config: (flow) => needsWork(flow, "config"),
  health: (flow) => needsWork(flow, "health"),
  bypassed: (flow) => flow.bypassed_checks.length > 0,
};

/** The flows that the address asks for, in its order. */
export function shownFlows(flows: readonly Flow[], { view, health, sort }: FlowListSearch): Flow[] {
  const wanted = flows.filter((flow) => viewFilters[view](flow) && (!health || flow.health_state === health));
  if (sort === "worst") return wanted.sort(worstFirst);
  const sign = sort.startsWith("-") ? -1 : 1;
  const key = sort.replace("-", "") as "name" | "installed_at";
  return wanted.sort((a, b) => sign * (a[key] ?? "").localeCompare(b[key] ?? ""));
}
