import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card, Figure, Figures } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import { RelativeTime } from "@/components/text/relative-time";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import type { LastRuns, Profile, Restore } from "../shared/api";
import { lateSince, testsOf, testState } from "../shared/words";

interface FiguresProps {
  profiles: readonly Profile[];
  last: LastRuns;
  restores: readonly Restore[] | undefined;
  restoresError: unknown;
}

/** The first thing to know: how old the last good backup is, and whether one was proved by restoring it. */
export function FiguresCard({ profiles, last, restores, restoresError }: FiguresProps) {
  const { t } = useTranslation("backups");
  return (
    <Card flush label={t("figures.label")}>
      <Figures>
        <LastGood profiles={profiles} />
        {restores ? (
          <LastTest restores={restores} />
        ) : (
          <Figure name={t("figures.test")} value={restoresError ? "—" : ""} />
        )}
        <NextRun profiles={profiles} />
        <NewestSize last={last} />
      </Figures>
    </Card>
  );
}

const newestOf = (profiles: readonly Profile[]) =>
  profiles
    .filter(({ last_success_at: at }) => at !== null)
    .sort((a, b) => Date.parse(b.last_success_at!) - Date.parse(a.last_success_at!))[0];

/** The newest good backup; where a profile is late, the one that is latest of all. */
function LastGood({ profiles }: { profiles: readonly Profile[] }) {
  const { t } = useTranslation("backups");
  const now = useNow();
  const late = profiles
    .filter((profile) => lateSince(profile, now) !== undefined)
    .sort((a, b) => Date.parse(a.last_success_at ?? a.created_at) - Date.parse(b.last_success_at ?? b.created_at));
  const shown = late[0] ?? newestOf(profiles);
  const at = shown?.last_success_at;
  return (
    <Figure
      name={t("figures.good")}
      value={at ? <RelativeTime at={at} /> : t("figures.never")}
      note={
        late[0] ? (
          <>
            <Glyph kind="down" /> {t("figures.late", { name: late[0].name, count: late.length })}
          </>
        ) : (
          shown?.name
        )
      }
    />
  );
}

function LastTest({ restores }: { restores: readonly Restore[] }) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const { good, newest } = testsOf(restores);
  const failed = newest && newest !== good ? newest : undefined;
  return (
    <Figure
      name={t("figures.test")}
      value={good?.finished_at ? <RelativeTime at={good.finished_at} /> : t("figures.never")}
      note={
        failed ? (
          <Link to="/backups/runs/$id" params={{ id: failed.run_id }}>
            <Glyph kind={testState(failed) === "failed" ? "down" : "degraded"} />{" "}
            {t(testState(failed) === "failed" ? "figures.testFailed" : "figures.testSkipped")}
          </Link>
        ) : good?.report ? (
          t("figures.equal", { count: good.report.tables, rows: format.number(good.report.rows) })
        ) : (
          t("figures.untested")
        )
      }
    />
  );
}

function NextRun({ profiles }: { profiles: readonly Profile[] }) {
  const { t } = useTranslation("backups");
  const [next] = profiles
    .filter(({ enabled, next_run_at: at }) => enabled && at !== null)
    .sort((a, b) => Date.parse(a.next_run_at!) - Date.parse(b.next_run_at!));
  return (
    <Figure
      lead
      name={t("figures.next")}
      value={next ? <RelativeTime at={next.next_run_at!} /> : t("figures.noNext")}
      note={next ? next.name : t("figures.byHand")}
    />
  );
}

/** How large the newest backup is. */
function NewestSize({ last }: { last: LastRuns }) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const [newest] = [...last.values()]
    .filter((run) => run !== null && run.artefact !== null)
    .sort((a, b) => Date.parse(b!.created_at) - Date.parse(a!.created_at));
  const size = newest?.artefact?.bytes;
  return (
    <Figure
      lead
      name={t("figures.size")}
      value={size === undefined ? "—" : format.bytes(size)}
      note={newest ? newest.profile_name : undefined}
    />
  );
}
