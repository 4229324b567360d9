import { IconPlayerStop } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Problem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { toastProblem } from "@/components/state/toast";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { DataTable, type Column } from "@/components/table/data-table";
import { problemText } from "@/text/problem-text";
import { bulkApplyQuery, useCancelBulkApply, type BulkApply as Bulk, type BulkItem } from "../shared/bulk-api";
import { useSaid } from "../shared/said";
import classes from "./bulk.module.css";

/** A bulk apply, live until its end; it goes on when the page is left. */
export function BulkApply({ id }: { id: string }) {
  const { t } = useTranslation("flows");
  const bulk = useQuery(bulkApplyQuery(id));
  if (bulk.data) return <BulkView bulk={bulk.data} />;
  if (!bulk.error) return <Skeleton rows={6} />;
  return <ProblemView error={bulk.error} tried={t("bulk.failedLoad")} onRetry={() => void bulk.refetch()} />;
}

function BulkView({ bulk }: { bulk: Bulk }) {
  const { t } = useTranslation("flows");
  const closed = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const cancel = useCancelBulkApply(bulk);
  const applied = bulk.items.filter(({ state }) => state === "applied").length;
  const waits = bulk.items.some(({ state }) => state === "waiting");
  const done = bulk.finished_at !== null;
  const stop = () => cancel.mutate(undefined, { onError: (error) => toastProblem(t("bulk.notStopped"), error) });
  const columns: Column<BulkItem>[] = [
    { key: "flow", head: t("list.flow"), cell: (item) => <ItemName item={item} /> },
    { key: "state", head: t("bulk.state"), width: 180, cell: (item) => <ItemState item={item} /> },
    { key: "why", head: t("bulk.why"), width: 420, cell: (item) => <Why item={item} /> },
    { key: "apply", head: t("bulk.log"), quietHead: true, width: 130, cell: (item) => <ApplyLink item={item} /> },
  ];
  return (
    <>
      <PageHeader
        title={t(done ? "bulk.doneTitle" : "bulk.runTitle", { count: bulk.items.length })}
        meta={t("bulk.applied", { applied, count: bulk.items.length })}
        actions={
          waits &&
          !done && (
            <Action icon={IconPlayerStop} reason={closed} busy={cancel.isPending} onClick={stop}>
              {t("bulk.stop")}
            </Action>
          )
        }
      />
      <DataTable
        label={t("bulk.flows")}
        rows={bulk.items}
        columns={columns}
        rowId={(item) => item.flow_id}
        rowName={(item) => item.flow_name}
        total={bulk.items.length}
        phone={(item) => (
          <span className={classes.phone}>
            <ItemName item={item} />
            <ItemState item={item} />
            <Why item={item} />
            <ApplyLink item={item} />
          </span>
        )}
      />
    </>
  );
}

const glyphs: Record<BulkItem["state"], GlyphKind> = {
  waiting: "no-data",
  applying: "applying",
  applied: "in-sync",
  failed: "failed",
  refused: "failed",
  skipped: "skipped",
};

function ItemName({ item }: { item: BulkItem }) {
  return (
    <Link to={`/flows/${item.flow_id}`} className="strong">
      {item.flow_name}
    </Link>
  );
}

function ItemState({ item: { state } }: { item: BulkItem }) {
  const { t } = useTranslation("flows");
  return (
    <Status kind={glyphs[state]} inTable>
      {t(`bulk.item.${state}`)}
    </Status>
  );
}

/** Why a flow was not applied. A refusal has a sentence of its code; of a failed apply the panel's own says more. */
function Why({ item }: { item: BulkItem }) {
  const { t } = useTranslation("flows");
  const said = useSaid();
  const { state, code, error } = item;
  if (!code) return null;
  if (state === "skipped") return <span className="dim">{t(`bulk.because.${code}`)}</span>;
  const text =
    state === "refused"
      ? problemText(new Problem({ status: 409, code, detail: error }))
      : said({ code, text: error, params: {} });
  return (
    <span className={classes.why} title={error}>
      {text}
    </span>
  );
}

function ApplyLink({ item: { flow_id, apply_id } }: { item: BulkItem }) {
  const { t } = useTranslation("flows");
  if (!apply_id) return null;
  return <Link to={`/flows/${flow_id}/applies/${apply_id}`}>{t("bulk.openApply")}</Link>;
}
