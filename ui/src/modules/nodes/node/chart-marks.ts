import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { ChartMark } from "@/components/chart/chart-data";
import { stateChangesQuery, type StateChange } from "../shared/state-changes";
import type { NodeDetail } from "../shared/types";

export type JournalEntry = components["schemas"]["AuditEntry"];

const words = {
  "flow.apply_succeeded": "apply",
  "flow.apply_failed": "applyFailed",
  "node.restart_core": "restart",
  "node.update_done": "update",
} as const;

type Action = keyof typeof words;
const failures = new Set<string>(["flow.apply_failed"]);
const most = 50;

export const journalQuery = (query: { object?: string; action?: string; from: string; to: string }) =>
  queryOptions({
    queryKey: ["nodes", "marks", query],
    queryFn: async ({ signal }): Promise<JournalEntry[]> =>
      (await answer(api.GET("/api/v1/audit", { params: { query: { ...query, limit: most } }, signal }))).items,
    staleTime: 30_000,
  });

/** Moments that explain a chart: outages, and from the journal, for those who may read it, applies and restarts. */
export function useChartMarks(node: NodeDetail, from: string, to: string): ChartMark[] {
  const { t } = useTranslation("nodes");
  const { can } = useAccess();
  const enabled = can("audit.view");
  const results = useQueries({
    queries: [
      { ...journalQuery({ object: node.id, from, to }), enabled },
      { ...journalQuery({ action: "flow.apply_succeeded", from, to }), enabled: enabled && node.flow_ids.length > 0 },
      { ...journalQuery({ action: "flow.apply_failed", from, to }), enabled: enabled && node.flow_ids.length > 0 },
    ],
  });
  const changes = useQuery(stateChangesQuery({ node_id: node.id, from, to })).data?.items ?? [];
  const entries = results.flatMap((result) => result.data ?? []);
  return [...marksOf(entries, [node.id, ...node.flow_ids]), ...outagesOf(changes)]
    .sort((a, b) => a.at - b.at)
    .map((mark) => ({ ...mark, text: t(`marks.${mark.text}`) }));
}

/** The entries about these objects that have a word on a chart, oldest first; `text` is that word's key. */
export function marksOf(entries: readonly JournalEntry[], objects: readonly string[]): ChartMark[] {
  const about = entries.filter(({ object }) => objects.includes(object.id));
  return about.flatMap((entry) => markOf(entry) ?? []).sort((a, b) => a.at - b.at);
}

/** The mark of an entry, with the key of its word; undefined where it has none. */
export function markOf({ action, at }: JournalEntry): { at: number; text: string; failure: boolean } | undefined {
  if (!(action in words)) return undefined;
  return { at: Date.parse(at) / 1000, text: words[action as Action], failure: failures.has(action) };
}

/** Where nodes were lost and came back, with the key of each word. */
export function outagesOf(changes: readonly StateChange[]): ChartMark[] {
  return changes.flatMap(({ at, was, state }) => {
    const text = state === "offline" ? "offline" : was === "offline" && state === "online" ? "online" : undefined;
    return text ? [{ at: Date.parse(at) / 1000, text, failure: text === "offline" }] : [];
  });
}
