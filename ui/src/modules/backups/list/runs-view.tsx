import { Select } from "@mantine/core";
import { IconDatabaseExport } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { Glyph } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { DataTable, type Column } from "@/components/table/data-table";
import type { RowsFile } from "@/components/table/save-rows";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import classes from "../backups.module.css";
import { goesOn, runQuery, type Profile, type Run } from "../shared/api";
import { destinationGlyphs, runGlyphs, secondsOf, useReason, useStepWords } from "../shared/words";

interface RunsViewProps {
  state: ViewState<Run[]>;
  total: number;
  profiles: readonly Profile[];
  chosen: string | undefined;
  onChoose: (profile: string | undefined) => void;
  more: { load: () => void; busy: boolean } | undefined;
}

const file: RowsFile<Run> = {
  name: "backup-runs",
  fields: [
    ["profile", (run) => run.profile_name],
    ["state", (run) => run.state],
    ["trigger", (run) => run.trigger],
    ["started_by", (run) => run.started_by],
    ["started_at", (run) => run.started_at ?? ""],
    ["finished_at", (run) => run.finished_at ?? ""],
    ["bytes", (run) => run.bytes],
    ["destinations", (run) => run.destinations.map(({ kind, state }) => `${kind}:${state}`).join(" ")],
    ["error", (run) => run.error],
    ["id", (run) => run.id],
  ],
};

/** What was made: each run with its end, its size and what became of it at each destination. */
export function RunsView({ state, total, profiles, chosen, onChoose, more }: RunsViewProps) {
  const { t } = useTranslation("backups");
  return (
    <section aria-label={t("runs.title")}>
      <div className={classes.tools}>
        <h2 className={classes.partTitle}>{t("runs.title")}</h2>
        {profiles.length > 1 && (
          <Select
            aria-label={t("runs.profile")}
            placeholder={t("runs.all")}
            data={profiles.map(({ id, name }) => ({ value: id, label: name }))}
            value={profiles.some(({ id }) => id === chosen) ? (chosen ?? null) : null}
            onChange={(profile) => onChoose(profile ?? undefined)}
            clearable
          />
        )}
      </div>
      {state.kind === "loading" && <Skeleton rows={6} />}
      {state.kind === "error" && <ProblemView error={state.error} tried={t("runs.loadFailed")} onRetry={state.retry} />}
      {state.kind === "ready" && <RunsTable rows={state.data} total={total} more={more} />}
    </section>
  );
}

function RunsTable({ rows, total, more }: { rows: Run[] } & Pick<RunsViewProps, "total" | "more">) {
  const { t } = useTranslation("backups");
  const columns: Column<Run>[] = [
    { key: "when", head: t("runs.when"), cell: (run) => <When run={run} /> },
    { key: "state", head: t("runs.state"), width: 280, cell: (run) => <Course run={run} /> },
    { key: "where", head: t("runs.where"), width: 270, drop: 1, cell: (run) => <Where run={run} /> },
    {
      key: "took",
      head: t("runs.took"),
      width: 90,
      drop: 2,
      align: "right",
      cell: (run) => <Took run={run} />,
    },
    { key: "size", head: t("runs.size"), width: 100, align: "right", cell: (run) => <Size run={run} /> },
  ];
  return (
    <DataTable
      label={t("runs.title")}
      rows={rows}
      total={total}
      columns={columns}
      rowHeight="two"
      rowId={(run) => run.id}
      rowName={(run) => run.profile_name}
      file={file}
      phone={(run) => (
        <span className={classes.phone}>
          <When run={run} />
          <Course run={run} />
          <span className="dim">
            <Size run={run} /> · <Took run={run} />
          </span>
        </span>
      )}
      onMore={more?.load}
      loadingMore={more?.busy}
      empty={
        <EmptyState icon={IconDatabaseExport} title={t("runs.none")}>
          {t("runs.noneText")}
        </EmptyState>
      }
    />
  );
}

function When({ run }: { run: Run }) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const who = run.trigger === "schedule" ? t("runs.bySchedule") : run.started_by;
  return (
    <span className={classes.words}>
      <Link to="/backups/runs/$id" params={{ id: run.id }} className="strong num">
        {format.moment(run.created_at)}
      </Link>
      <span className="dim">{[run.profile_name, who].filter(Boolean).join(" · ")}</span>
    </span>
  );
}

/** A run that goes on moves by itself. */
function useMoving(run: Run): Run {
  const active = goesOn(run.state);
  const { data } = useQuery({ ...runQuery(run.id), enabled: active, initialData: run, staleTime: 1_000 });
  return active ? data : run;
}

/** How it stands, and why. */
function Course({ run: listed }: { run: Run }) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const reason = useReason();
  const step = useStepWords();
  const run = useMoving(listed);
  const failed = run.destinations.find(({ state }) => state === "failed");
  const note = goesOn(run.state)
    ? [step(run), run.bytes > 0 && format.bytes(run.bytes)].filter(Boolean).join(", ")
    : run.error
      ? reason(run.error)
      : failed && `${t(`kind.${failed.kind as "local"}`)}: ${reason(failed.error)}`;
  return (
    <span className={classes.words}>
      <span>
        <Status kind={runGlyphs[run.state]} inTable>
          {t(`state.${run.state}`)}
        </Status>
      </span>
      {note && (
        <span className={classes.reason} title={note}>
          {note}
        </span>
      )}
    </span>
  );
}

/** Each destination with what became of the backup there. */
function Where({ run }: { run: Run }) {
  const { t } = useTranslation("backups");
  return (
    <span className={classes.places}>
      {run.destinations.map(({ id, kind, state }) => (
        <span key={id} className={classes.place}>
          <Glyph kind={destinationGlyphs[state]} label={t(`place.${state}`)} />
          {t(`kind.${kind as "local"}`)}
        </span>
      ))}
    </span>
  );
}

function Took({ run }: { run: Run }) {
  const format = useFormat();
  const seconds = secondsOf(run, useNow());
  return <span className="num">{seconds === undefined ? "—" : format.uptime(seconds)}</span>;
}

function Size({ run }: { run: Run }) {
  const format = useFormat();
  return <span className="num">{run.artefact ? format.bytes(run.artefact.bytes) : "—"}</span>;
}
