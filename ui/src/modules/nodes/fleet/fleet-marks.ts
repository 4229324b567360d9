import { useQueries, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import type { ChartMark } from "@/components/chart/chart-data";
import { stateChangesQuery } from "../shared/state-changes";
import { journalQuery, markOf, outagesOf } from "../node/chart-marks";

const actions = ["flow.apply_succeeded", "flow.apply_failed"];
const together = 300;

/** Applies and outages of the fleet on its charts. Many at once are one mark that says how many. */
export function useFleetMarks(from: string, to: string): ChartMark[] {
  const { t } = useTranslation("nodes");
  const enabled = useAccess().can("audit.view");
  const results = useQueries({
    queries: actions.map((action) => ({ ...journalQuery({ action, from, to }), enabled })),
  });
  const changes = useQuery(stateChangesQuery({ from, to })).data?.items ?? [];
  const lost = outagesOf(changes).filter(({ failure }) => failure);
  return joinedMarks(
    [...results.flatMap((result) => result.data ?? []).flatMap((entry) => markOf(entry) ?? []), ...lost],
    (word, count) => (count > 1 ? `${t(`marks.${word}`)} ×${count}` : t(`marks.${word}`)),
  );
}

export function joinedMarks(marks: readonly ChartMark[], text: (word: string, count: number) => string): ChartMark[] {
  const known = [...marks].sort((a, b) => a.at - b.at);
  const groups: { at: number; word: string; failure: boolean; count: number }[] = [];
  for (const { at, text: word, failure = false } of known) {
    const before = groups.findLast((group) => group.word === word);
    if (before && at - before.at < together) before.count++;
    else groups.push({ at, word, failure, count: 1 });
  }
  return groups.map(({ at, word, failure, count }) => ({ at, failure, text: text(word, count) }));
}
