import { useQueries, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNow } from "@/components/text/use-now";
import type { AttentionItem } from "@/module";
import { useFormat } from "@/text/use-format";
import { lastRunQuery, profilesQuery, restoresQuery, type Profile, type Restore, type Run } from "./shared/api";
import { lateSince, testsOf, testState, useReason } from "./shared/words";

/** A profile that is late or whose newest run failed, and a backup that could not be restored in a test. */
function useAttention(): AttentionItem[] {
  const now = useNow();
  const profiles = useQuery(profilesQuery).data ?? [];
  const last = useQueries({ queries: profiles.map(({ id }) => lastRunQuery(id)) });
  const restores = useQuery(restoresQuery).data ?? [];
  const words = useLines();
  const ofProfiles = profiles.map((profile, at) => words.profile(profile, last[at]?.data, lateSince(profile, now)));
  const { newest } = testsOf(restores);
  const ofTest = newest && testState(newest) === "failed" ? [words.test(newest)] : [];
  return [...ofProfiles.flatMap((item) => (item ? [item] : [])), ...ofTest];
}

function useLines() {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const reason = useReason();
  const open = (id: string) => ({ label: t("attention.open"), path: `/backups/runs/${id}` });
  const profile = (
    { id, name, enabled, last_success_at: good }: Profile,
    run: Run | null | undefined,
    late: string | undefined,
  ): AttentionItem | undefined => {
    const ended = run && ["failed", "partial"].includes(run.state) ? run : undefined;
    if (!enabled || (!late && !ended)) return undefined;
    const partial = !late && ended?.state === "partial";
    const failed = ended?.destinations.find(({ state }) => state === "failed");
    const why = ended?.error || failed?.error;
    return {
      id: `backup-${id}`,
      severity: partial ? "warn" : "crit",
      glyph: partial ? "degraded" : "down",
      name: t("attention.name", { name }),
      what: t(late ? "attention.late" : partial ? "attention.partial" : "attention.failed"),
      effect: why ? reason(why) : good ? t("attention.good", { moment: format.moment(good) }) : t("attention.never"),
      since: late ?? ended?.finished_at ?? undefined,
      act: ended ? open(ended.id) : { label: t("title"), path: "/backups" },
    };
  };
  const test = ({ id, run_id: run, finished_at: since, error }: Restore): AttentionItem => ({
    id: `backup-test-${id}`,
    severity: "crit",
    glyph: "down",
    name: t("attention.testName"),
    what: t("attention.test"),
    effect: error ? reason(error) : undefined,
    since: since ?? undefined,
    act: open(run),
  });
  return { profile, test };
}

/** An empty fleet has nothing to lose yet, but its license and its settings are worth a backup. */
function useFirstStep() {
  const { t } = useTranslation("backups");
  const profiles = useQuery(profilesQuery).data;
  if (!profiles) return undefined;
  return {
    order: 4,
    title: t("first.title"),
    text: t("first.text"),
    act: t("profiles.add"),
    path: "/backups/profiles/new",
    done: profiles.length > 0,
  };
}

export default { useAttention, useFirstStep };
