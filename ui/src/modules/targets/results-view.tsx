import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { ProblemView } from "@/components/state/problem-view";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { DataTable, type Column, type Sorting } from "@/components/table/data-table";
import { NameCell } from "@/components/table/name-cell";
import type { RowsFile } from "@/components/table/save-rows";
import type { Listed, Reason, Result, Suitability } from "./api";
import classes from "./targets.module.css";

/** Takes a result over. */
export interface Use {
  take: (result: Result) => void;
  /** Why nothing may be taken. */
  reason: string | undefined;
}

interface ResultsViewProps {
  state: ViewState<Listed<Result>>;
  running: boolean;
  filtered: boolean;
  sorting: Sorting;
  more: { load: () => void; busy: boolean } | undefined;
  use: Use | undefined;
  onOpen: (result: Result) => void;
}

const file: RowsFile<Result> = {
  name: "targets",
  fields: [
    ["target", (result) => result.target],
    ["sni", (result) => result.sni],
    ["ip", (result) => result.ip],
    ["suitability", (result) => result.suitability],
    ["score", (result) => result.score],
    ["latency_ms", (result) => result.latency_ms ?? ""],
    ["tls_version", (result) => result.tls_version],
    ["alpn", (result) => result.alpn],
    ["cdn", (result) => result.cdn],
    ["reasons", (result) => result.reasons.map(({ code }) => code).join(" ")],
    ["checked_at", (result) => result.checked_at],
    ["id", (result) => result.id],
  ],
};

export function ResultsView({ state, running, filtered, sorting, more, use, onOpen }: ResultsViewProps) {
  const { t } = useTranslation("targets");
  const columns = useColumns(use, onOpen);
  if (state.kind === "loading") return <Skeleton rows={6} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  const empty = running ? "waiting" : filtered ? "noMatch" : "nothing";
  return (
    <DataTable
      label={t("results")}
      rows={state.data.items}
      total={state.data.total}
      columns={columns}
      rowId={({ id }) => id}
      rowName={({ target }) => target}
      file={file}
      sorting={sorting}
      onOpen={onOpen}
      onMore={more?.load}
      loadingMore={more?.busy}
      rowHeight="two"
      phone={(result) => (
        <>
          <p className={classes.head}>
            <button type="button" className={classes.open} onClick={() => onOpen(result)}>
              {nameOf(result)}
            </button>
            <span className="num">{result.score}</span>
          </p>
          <p className="dim">
            {t(`suitability.${result.suitability}`)} · <ReasonLine result={result} />
          </p>
          {use && <UseAct result={result} use={use} />}
        </>
      )}
      empty={<EmptyState title={t(`${empty}.title`)}>{t(`${empty}.text`)}</EmptyState>}
    />
  );
}

function useColumns(use: Use | undefined, onOpen: (result: Result) => void): Column<Result>[] {
  const { t } = useTranslation("targets");
  return [
    {
      key: "target",
      head: t("columns.target"),
      sort: "target",
      cell: (result) => (
        <NameCell title={result.target}>
          <button type="button" className={classes.open} onClick={() => onOpen(result)}>
            {nameOf(result)}
          </button>
        </NameCell>
      ),
    },
    {
      key: "suitability",
      head: t("columns.suitability"),
      width: 150,
      cell: ({ suitability }) => <Verdict of={suitability} inTable />,
    },
    {
      key: "score",
      head: t("columns.score"),
      sort: "score",
      width: 90,
      cell: ({ score }) => <span className="num">{score}</span>,
    },
    {
      key: "latency",
      head: t("columns.latency"),
      sort: "latency_ms",
      width: 110,
      drop: 1,
      cell: (result) => <Latency of={result} />,
    },
    {
      key: "reasons",
      head: t("columns.reasons"),
      width: 320,
      drop: 2,
      cell: (result) => (
        <span className={classes.reasons}>
          <ReasonLine result={result} />
        </span>
      ),
    },
    ...(use
      ? [
          {
            key: "use",
            head: t("use.act"),
            quietHead: true,
            width: 110,
            cell: (result: Result) => <UseAct result={result} use={use} />,
          },
        ]
      : []),
  ];
}

/** The host that was looked at, and the name that its certificate gave an address. */
export function nameOf({ target, sni }: Result): string {
  const host = target.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  return sni && sni !== host ? `${target} (${sni})` : target;
}

export function Latency({ of }: { of: Result }) {
  const { t } = useTranslation("targets");
  if (of.latency_ms === null) return <span className="dim">–</span>;
  return <span className="num">{of.latency_ms < 1 ? t("underMs") : t("ms", { ms: Math.round(of.latency_ms) })}</span>;
}

const glyphs: Record<Suitability, GlyphKind> = {
  suitable: "healthy",
  acceptable: "degraded",
  unsuitable: "down",
  unknown: "no-data",
};

export function Verdict({ of, inTable }: { of: Suitability; inTable?: boolean }) {
  const { t } = useTranslation("targets");
  return (
    <Status kind={glyphs[of]} inTable={inTable}>
      {t(`suitability.${of}`)}
    </Status>
  );
}

/** What speaks against a target, else what speaks for it. */
function ReasonLine({ result }: { result: Result }) {
  const { t } = useTranslation("targets");
  const against = result.reasons.filter(({ effect }) => effect !== "good");
  const most = against.length > 0 ? against : result.reasons.filter(({ points }) => points >= 10);
  return most.map((reason) => sentence(t, reason)).join("; ");
}

/** A reason in the reader's language; one that this interface does not know yet as the panel says it. */
export function sentence(t: TFunction<"targets">, { code, text }: Reason): string {
  return t(`reasons.${code}`, { defaultValue: text });
}

export function UseAct({ result, use }: { result: Result; use: Use }) {
  const { t } = useTranslation("targets");
  return (
    <Action size="bar" reason={use.reason ?? unfit(t, result)} onClick={() => use.take(result)}>
      {t("use.act")}
    </Action>
  );
}

/** Why a result is of no use to a draft. */
function unfit(t: (key: string) => string, { suitability, sni, fresh }: Result): string | undefined {
  if (suitability === "unsuitable" || suitability === "unknown" || !sni) return t("use.unfit");
  return fresh ? undefined : t("use.stale");
}
