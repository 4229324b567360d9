import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Sparkline } from "@/components/chart/spark";
import { Card } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { usePageTitle } from "@/components/layout/page-title";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { useBlock } from "../header";
import { subjectQuery } from "../shared/api";
import { externalSummaryQuery, reportsQuery, type Report } from "./api";
import { BudgetCard } from "./budget-card";
import { MatrixCard } from "./matrix-card";
import { trendOf } from "./matrix";
import { useRoubles } from "./money";
import { ReportsCard } from "./reports-card";
import { RunDialog } from "./run-dialog";

/** What the networks of mobile operators reach of one flow, with its stored reports. */
export default function FlowChecksPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { t } = useTranslation("health");
  const state = viewState(useQuery(reportsQuery(id)));
  const summary = useQuery(externalSummaryQuery).data;
  const subject = useQuery(subjectQuery("flows", id)).data;
  const block = useBlock();
  const [open, setOpen] = useState(false);
  const name = subject?.name ?? t("flows.one");
  usePageTitle(subject?.name);
  const reports = state.kind === "ready" ? state.data : [];
  const reason = block ?? (summary && !summary.configured ? t("external.noKey") : undefined);
  return (
    <>
      <PageHeader
        title={name}
        meta={
          <Meta>
            <Link to="/monitoring/flows/$id" params={{ id }}>
              {t("external.health")}
            </Link>
          </Meta>
        }
        closed={block}
        actions={
          <Action kind="filled" icon={IconPlayerPlay} reason={reason} onClick={() => setOpen(true)}>
            {t("external.run")}
          </Action>
        }
      />
      {state.kind === "loading" && <Skeleton rows={8} />}
      {state.kind === "error" && (
        <ProblemView error={state.error} onRetry={state.retry} tried={t("external.loadFailed")} />
      )}
      {state.kind === "ready" && (
        <Columns
          width="narrow"
          side={
            <>
              <TrendCard reports={reports} />
              {summary && <BudgetCard summary={summary} />}
            </>
          }
        >
          <MatrixCard reports={reports} />
          <ReportsCard id={id} reports={reports} />
        </Columns>
      )}
      {open && <RunDialog flow={{ id, name }} onClose={() => setOpen(false)} />}
    </>
  );
}

/** How the share of operators went, and what the reports have cost together. */
function TrendCard({ reports }: { reports: readonly Report[] }) {
  const { t } = useTranslation("health");
  const roubles = useRoubles();
  const values = trendOf(reports);
  const cost = reports.reduce((sum, report) => sum + (report.cost?.amount ?? 0), 0);
  return (
    <Card title={t("external.trend")} label={t("external.trend")}>
      {values.length > 1 && <Sparkline values={values} width={220} height={44} label={t("external.trend")} />}
      <p className="soft">
        {values.length > 0
          ? t("external.reachedNow", { percent: Math.round(values.at(-1) ?? 0) })
          : t("external.noReports")}
      </p>
      <p className="dim">{t("external.costOf", { count: reports.length, cost: roubles(cost) })}</p>
    </Card>
  );
}
