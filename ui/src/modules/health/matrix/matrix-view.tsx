import { Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { IconHeartbeat } from "@tabler/icons-react";
import { ActionLink } from "@/components/action/action";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { Glyph } from "@/components/status/glyph";
import { DataTable, type Column, type Sorting } from "@/components/table/data-table";
import type { CsvField } from "@/components/table/csv";
import type { RowsFile } from "@/components/table/save-rows";
import { useTableLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import classes from "../health.module.css";
import type { Kind, Listed, Row } from "../shared/api";
import { CheckMark, layersOf, useCellText } from "../shared/check-mark";
import { HistoryBars } from "../shared/history-bars";
import { stateGlyph, shownState } from "../shared/states";
import { hintText, reasonText } from "../shared/verdict";

/** A row has a mark for each layer and ninety bars: of a page only what is in sight is drawn. */
const mostDrawn = 30;

export interface MatrixViewProps {
  kind: Kind;
  state: ViewState<Listed>;
  /** Whether something narrows the list. */
  filtered: boolean;
  sorting: Sorting;
  more: { load: () => void; busy: boolean } | undefined;
}

/** Nodes or flows against the layers that are looked at, with a bar for each of the last days. */
export function MatrixView({ kind, state, filtered, sorting, more }: MatrixViewProps) {
  const { t } = useTranslation("health");
  const navigate = useNavigate();
  const look = useTableLook(`health-${kind}`);
  const rows = state.kind === "ready" ? state.data.items : none;
  const columns = useColumns(kind, rows);
  const file = useMemo(() => fileOf(kind, rows), [kind, rows]);
  const last = rows.at(-1)?.id;
  // Whoever scrolls to the last row wants the next ones.
  const drawn = useCallback(
    (ids: readonly string[]) => {
      if (more && !more.busy && last !== undefined && ids.includes(last)) more.load();
    },
    [more, last],
  );
  if (state.kind === "loading") return <Skeleton rows={10} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  return (
    <>
      <DataTable
        label={t(`${kind}.tab`)}
        rows={rows}
        total={state.data.total}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        rowHeight="two"
        look={look}
        file={file}
        mostDrawn={mostDrawn}
        onDrawn={drawn}
        sorting={sorting}
        onOpen={({ id }) => void navigate({ to: `/monitoring/${kind}/${id}` })}
        onMore={more?.load}
        loadingMore={more?.busy}
        phone={(subject) => <PhoneSubject kind={kind} subject={subject} />}
        empty={<Nothing kind={kind} filtered={filtered} />}
      />
      {rows.length > 0 && <Legend />}
    </>
  );
}

const none: Row[] = [];

/** The matrix as a file: a column for each layer that any of the rows is looked at in. */
const fileOf = (kind: Kind, rows: readonly Row[]): RowsFile<Row> => ({
  name: `health-${kind}`,
  fields: [
    ["name", ({ name }) => name],
    ["state", ({ state }) => state],
    ["since", ({ since }) => since],
    ["maintenance", ({ maintenance }) => String(maintenance)],
    ["flapping", ({ flapping }) => String(flapping)],
    ["reason", ({ reason }) => reason],
    ["hint", ({ hint }) => hint],
    ...layersOf(rows).map((layer): CsvField<Row> => [
      layer,
      ({ checks }) => checks.find(({ check }) => check === layer)?.state ?? "",
    ]),
    ["id", ({ id }) => id],
  ],
});

function Nothing({ kind, filtered }: { kind: Kind; filtered: boolean }) {
  const { t } = useTranslation("health");
  if (filtered)
    return (
      <EmptyState
        title={t("nothing")}
        act={<ActionLink to={kind === "nodes" ? "/monitoring" : "/monitoring/flows"}>{t("clear")}</ActionLink>}
      />
    );
  return (
    <EmptyState icon={IconHeartbeat} title={t(`${kind}.empty`)}>
      {t(`${kind}.emptyText`)}
    </EmptyState>
  );
}

const checkWidth = 66;
const barsWidth = 200;

function useColumns(kind: Kind, rows: readonly Row[]): Column<Row>[] {
  const { t } = useTranslation("health");
  return [
    {
      key: "name",
      head: t(`${kind}.one`),
      sort: "name",
      cell: (subject) => <NameCell kind={kind} subject={subject} />,
    },
    ...layersOf(rows).map((layer): Column<Row> => ({
      key: layer,
      head: t(`check.${layer}`),
      width: checkWidth,
      cell: ({ checks }) => <CheckMark cell={checks.find(({ check }) => check === layer)} />,
    })),
    {
      key: "since",
      head: t("columns.since"),
      sort: "since",
      width: 90,
      extra: true,
      cell: ({ since }) => <RelativeTime at={since} bare />,
    },
    {
      key: "days",
      head: t("columns.days"),
      width: barsWidth,
      drop: 1,
      cell: ({ bars }) => <HistoryBars bars={bars} />,
    },
  ];
}

/** The name with its state; below it since when and why, where it is not well. */
function NameCell({ kind, subject }: { kind: Kind; subject: Row }) {
  const { t } = useTranslation("health");
  const state = shownState(subject);
  return (
    <span className={classes.subject}>
      <span className={classes.subjectName}>
        <Glyph kind={stateGlyph[state]} label={t(`state.${state}`)} />
        <Link to={`/monitoring/${kind}/${subject.id}`} title={subject.name}>
          {subject.name}
        </Link>
      </span>
      <span className={classes.why} aria-hidden={subject.state === "up" || undefined}>
        <Why subject={subject} />
      </span>
    </span>
  );
}

/** State, since when, and why. */
function Why({ subject }: { subject: Row }) {
  const { t } = useTranslation("health");
  const said = subject.state === "up" ? "" : [reasonText(t, subject), hintText(t, subject)].filter(Boolean).join("; ");
  return (
    <span title={said || undefined}>
      {subject.maintenance && `${t("state.maintenance")} · `}
      {t(`state.${subject.state}`)} · <RelativeTime at={subject.since} bare />
      {subject.flapping && ` · ${t("flapping")}`}
      {said && ` · ${said}`}
    </span>
  );
}

/** The name, what is wrong in words, and the bars. */
function PhoneSubject({ kind, subject }: { kind: Kind; subject: Row }) {
  const { t } = useTranslation("health");
  const words = useCellText();
  const wrong = subject.checks.filter(({ state }) => state === "degraded" || state === "down");
  return (
    <>
      <NameCell kind={kind} subject={subject} />
      {wrong.length > 0 && (
        <ul className={classes.phoneChecks}>
          {wrong.map((cell) => (
            <li key={cell.check}>
              <span className="dim">{t(`check.${cell.check}`)}:</span> {words(cell)}
            </li>
          ))}
        </ul>
      )}
      <div className={classes.phoneBars}>
        <HistoryBars bars={subject.bars} />
      </div>
    </>
  );
}

function Legend() {
  const { t } = useTranslation("health");
  return (
    <p className={classes.legend}>
      {(["up", "degraded", "down", "unknown", "maintenance"] as const).map((state) => (
        <span key={state}>
          <Glyph kind={stateGlyph[state]} /> {t(`legend.${state}`)}
        </span>
      ))}
      <span>
        <span aria-hidden>–</span> {t("legend.none")}
      </span>
    </p>
  );
}
