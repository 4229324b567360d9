import { Menu } from "@mantine/core";
import { IconDatabaseExport } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { RowMenu } from "@/components/action/row-menu";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { DataTable, type Column } from "@/components/table/data-table";
import type { RowsFile } from "@/components/table/save-rows";
import { RelativeTime } from "@/components/text/relative-time";
import { useNow } from "@/components/text/use-now";
import classes from "../backups.module.css";
import type { LastRuns, Profile } from "../shared/api";
import { lateSince, runGlyphs, useScheduleWords } from "../shared/words";
import { RunAction } from "./run-action";

interface ProfilesProps {
  state: ViewState<Profile[]>;
  last: LastRuns;
  block: string | undefined;
  add: ReactNode;
  onPause: (profile: Profile) => void;
  onRemove: (profile: Profile) => void;
}

const file: RowsFile<Profile> = {
  name: "backup-profiles",
  fields: [
    ["name", (profile) => profile.name],
    ["enabled", (profile) => String(profile.enabled)],
    ["destinations", (profile) => profile.destinations.map(({ kind }) => kind).join(" ")],
    ["next_run_at", (profile) => profile.next_run_at ?? ""],
    ["last_success_at", (profile) => profile.last_success_at ?? ""],
    ["id", (profile) => profile.id],
  ],
};

export function ProfilesView({ state, last, block, add, onPause, onRemove }: ProfilesProps) {
  const { t } = useTranslation("backups");
  if (state.kind === "loading") return <Skeleton rows={4} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} tried={t("profiles.loadFailed")} onRetry={state.retry} />;
  const columns: Column<Profile>[] = [
    { key: "name", head: t("profiles.name"), cell: (profile) => <Name profile={profile} /> },
    {
      key: "schedule",
      head: t("profiles.schedule"),
      width: 218,
      drop: 1,
      cell: (profile) => <When profile={profile} />,
    },
    { key: "where", head: t("profiles.where"), width: 168, drop: 2, cell: (profile) => <Where profile={profile} /> },
    { key: "good", head: t("profiles.good"), width: 126, cell: (profile) => <Good profile={profile} /> },
    {
      key: "last",
      head: t("profiles.last"),
      width: 126,
      cell: (profile) => <LastState profile={profile} last={last} />,
    },
    {
      key: "run",
      head: t("profiles.act"),
      quietHead: true,
      width: 196,
      align: "right",
      cell: (profile) => <RunAction profile={profile} last={last.get(profile.id)} block={block} />,
    },
  ];
  return (
    <DataTable
      label={t("profiles.title")}
      rows={state.data}
      total={state.data.length}
      columns={columns}
      rowHeight="two"
      rowId={(profile) => profile.id}
      rowName={(profile) => profile.name}
      file={file}
      menu={(profile) => <Acts profile={profile} block={block} onPause={onPause} onRemove={onRemove} />}
      phone={(profile) => (
        <span className={classes.phone}>
          <Name profile={profile} />
          <When profile={profile} />
          <span className={classes.line}>
            <LastState profile={profile} last={last} /> <Good profile={profile} />
          </span>
          <span>
            <RunAction profile={profile} last={last.get(profile.id)} block={block} />
          </span>
        </span>
      )}
      empty={
        <EmptyState icon={IconDatabaseExport} title={t("profiles.none")} act={add}>
          {t("profiles.noneText")}
        </EmptyState>
      }
    />
  );
}

function Name({ profile: { id, name, enabled } }: { profile: Profile }) {
  const { t } = useTranslation("backups");
  return (
    <span className={classes.words}>
      <Link to="/backups/profiles/$id" params={{ id }} className="strong" title={name}>
        {name}
      </Link>
      {!enabled && <Status kind="skipped">{t("profiles.paused")}</Status>}
    </span>
  );
}

/** The schedule in words, and when it comes next. */
function When({ profile: { schedule, enabled, next_run_at: next } }: { profile: Profile }) {
  const { t } = useTranslation("backups");
  const words = useScheduleWords();
  const text = words(schedule.cron ?? "");
  return (
    <span className={classes.words}>
      <span title={text}>{text}</span>
      {schedule.cron && (
        <span className="dim">
          {schedule.zone || "UTC"}
          {enabled && next && (
            <>
              {" · "}
              {t("profiles.next")} <RelativeTime at={next} />
            </>
          )}
        </span>
      )}
    </span>
  );
}

/** The kinds of places, each with how many there are. */
function Where({ profile: { destinations, encryption } }: { profile: Profile }) {
  const { t } = useTranslation("backups");
  const kinds = [...new Set(destinations.map(({ kind }) => kind))].map((kind) => {
    const count = destinations.filter((one) => one.kind === kind).length;
    return count > 1 ? `${t(`kind.${kind}`)} × ${count}` : t(`kind.${kind}`);
  });
  return (
    <span className={classes.words}>
      <span title={kinds.join(", ")}>{kinds.join(", ")}</span>
      <span className="dim">{t(`profiles.encrypted.${encryption.mode}`)}</span>
    </span>
  );
}

/** The age of the last good backup, and whether that is too old. */
function Good({ profile }: { profile: Profile }) {
  const { t } = useTranslation("backups");
  const now = useNow();
  const late = lateSince(profile, now) !== undefined;
  const at = profile.last_success_at;
  return (
    <span className={classes.words}>
      <span>{at ? <RelativeTime at={at} /> : <span className="dim">{t("figures.never")}</span>}</span>
      {late && (
        <Status kind="down" inTable>
          {t("profiles.late")}
        </Status>
      )}
    </span>
  );
}

function LastState({ profile, last }: { profile: Profile; last: LastRuns }) {
  const { t } = useTranslation("backups");
  const run = last.get(profile.id);
  if (run === undefined) return null;
  if (run === null) return <Status kind="never">{t("profiles.noRun")}</Status>;
  return (
    <Link to="/backups/runs/$id" params={{ id: run.id }} className={classes.plain}>
      <Status kind={runGlyphs[run.state]} inTable>
        {t(`state.${run.state}`)}
      </Status>
    </Link>
  );
}

function Acts({
  profile,
  block,
  onPause,
  onRemove,
}: { profile: Profile } & Pick<ProfilesProps, "block" | "onPause" | "onRemove">) {
  const { t } = useTranslation("backups");
  const closed = { disabled: block !== undefined, title: block };
  return (
    <RowMenu name={profile.name}>
      <Menu.Item component={Link} to={`/backups/profiles/${profile.id}`}>
        {t("profiles.edit")}
      </Menu.Item>
      <Menu.Item {...closed} onClick={() => onPause(profile)}>
        {t(profile.enabled ? "profiles.pause" : "profiles.resume")}
      </Menu.Item>
      <Menu.Item {...closed} color="red" onClick={() => onRemove(profile)}>
        {t("profiles.remove")}
      </Menu.Item>
    </RowMenu>
  );
}
