import { IconMail } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { serverNow } from "@/api/server-clock";
import { Action } from "@/components/action/action";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { Glyph } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { DataTable, type Column } from "@/components/table/data-table";
import type { RowsFile } from "@/components/table/save-rows";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat, useLanguage } from "@/text/use-format";
import { messenger, onItsWay, type Delivery } from "./api";
import classes from "./notifications.module.css";
import { severityGlyphs, stateGlyphs } from "./words";

interface DeliveriesProps {
  state: ViewState<Delivery[]>;
  total: number;
  filtered: boolean;
  eventWords: (kind: string) => string;
  onClear: () => void;
  more: { load: () => void; busy: boolean } | undefined;
}

const file: RowsFile<Delivery> = {
  name: "deliveries",
  fields: [
    ["event", (row) => row.kind],
    ["severity", (row) => row.severity],
    ["about", (row) => row.subject_name || row.subject_id],
    ["channel", (row) => row.channel_name || row.channel],
    ["state", (row) => row.state],
    ["reason", (row) => row.reason?.code ?? ""],
    ["attempts", (row) => row.attempts],
    ["created_at", (row) => row.created_at],
    ["finished_at", (row) => row.finished_at ?? ""],
    ["id", (row) => row.id],
  ],
};

export function DeliveriesView({ state, total, filtered, eventWords, onClear, more }: DeliveriesProps) {
  const { t } = useTranslation("notifications");
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} tried={t("deliveries.loadFailed")} onRetry={state.retry} />;
  const columns: Column<Delivery>[] = [
    { key: "event", head: t("deliveries.event"), cell: (row) => <What row={row} eventWords={eventWords} /> },
    { key: "channel", head: t("deliveries.channel"), width: 150, cell: (row) => <ChannelName row={row} /> },
    { key: "state", head: t("deliveries.state"), width: 400, cell: (row) => <Course row={row} /> },
    {
      key: "attempts",
      head: t("deliveries.tries"),
      width: 90,
      align: "right",
      drop: 1,
      cell: (row) => <span className="num">{row.attempts}</span>,
    },
    { key: "when", head: t("deliveries.when"), width: 130, cell: (row) => <RelativeTime at={row.created_at} /> },
  ];
  return (
    <DataTable
      label={t("deliveries.title")}
      rows={state.data}
      total={total}
      columns={columns}
      rowHeight="two"
      rowId={(row) => row.id}
      rowName={(row) => eventWords(row.kind)}
      file={file}
      phone={(row) => (
        <span className={classes.phone}>
          <What row={row} eventWords={eventWords} />
          <span className="dim">
            <ChannelName row={row} /> · <RelativeTime at={row.created_at} />
          </span>
          <Course row={row} />
        </span>
      )}
      onMore={more?.load}
      loadingMore={more?.busy}
      empty={
        filtered ? (
          <EmptyState
            title={t("deliveries.nothing")}
            act={<Action onClick={onClear}>{t("deliveries.clear")}</Action>}
          />
        ) : (
          <EmptyState icon={IconMail} title={t("deliveries.none")}>
            {t("deliveries.noneText")}
          </EmptyState>
        )
      }
    />
  );
}

/** What happened to whom; how many events one message stands for. */
function What({ row, eventWords }: { row: Delivery; eventWords: (kind: string) => string }) {
  const { t } = useTranslation("notifications");
  const { severity, subject_name: subject, count } = row;
  const about = [subject, count > 1 && t("deliveries.count", { count })].filter(Boolean).join(" · ");
  return (
    <span className={classes.words} title={eventWords(row.kind)}>
      <span className={classes.what}>
        <Glyph kind={severityGlyphs[severity]} label={t(`severity.${severity}`)} />
        <span>{eventWords(row.kind)}</span>
      </span>
      {about && <span className="dim">{about}</span>}
    </span>
  );
}

function ChannelName({ row }: { row: Delivery }) {
  const { t } = useTranslation("notifications");
  const name = row.channel === messenger ? t("kind.messenger") : row.channel_name;
  return <span title={name}>{name}</span>;
}

/** Ends at which nothing was sent, and nothing failed. */
const isQuiet = (state: Delivery["state"]) => ["folded", "superseded", "cancelled"].includes(state);

/** Where the message is; why it failed, or until when it waits. */
function Course({ row: { state, reason: why, not_before: earliest, attempts } }: { row: Delivery }) {
  const { t } = useTranslation("notifications");
  const format = useFormat();
  const language = useLanguage();
  const reason = why?.[language] ?? "";
  const waits = state === "queued" && attempts === 0 && Date.parse(earliest) > serverNow() + 5_000;
  const note = waits
    ? t("deliveries.notBefore", { time: format.moment(earliest) })
    : onItsWay(state) && attempts > 0
      ? [t("deliveries.attempts", { count: attempts }), reason].filter(Boolean).join(": ")
      : isQuiet(state)
        ? t(`course.${state}`)
        : reason;
  return (
    <span className={classes.words}>
      <span>
        <Status kind={stateGlyphs[state]} inTable>
          {t(`state.${state}`)}
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
