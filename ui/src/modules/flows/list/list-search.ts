import { z } from "zod";
import type { Flow } from "../shared/api";
import { needsWork } from "../shared/states";

/** What the address of the list says: which flows, in which order. */
export const flowListSearch = z.object({
  q: z.string().catch(""),
  view: z.enum(["all", "config", "health", "bypassed"]).catch("all"),
  sort: z.enum(["name", "-name", "installed_at", "-installed_at"]).catch("name"),
  create: z.enum(["blank", "single", "pair", "shadowsocks"]).optional().catch(undefined),
});

export type FlowListSearch = z.output<typeof flowListSearch>;

export const viewFilters: Record<FlowListSearch["view"], (flow: Flow) => boolean> = {
  all: () => true,
  config: (flow) => needsWork(flow, "config"),
  health: (flow) => needsWork(flow, "health"),
  bypassed: (flow) => flow.bypassed_checks.length > 0,
};

export function sorted(flows: Flow[], sort: FlowListSearch["sort"]): Flow[] {
  const sign = sort.startsWith("-") ? -1 : 1;
  const key = sort.replace("-", "") as "name" | "installed_at";
  return [...flows].sort((a, b) => sign * (a[key] ?? "").localeCompare(b[key] ?? ""));
}
