import { Select } from "@mantine/core";
import { IconRadar2 } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { Action, ActionLink } from "@/components/action/action";
import { Sparkline } from "@/components/chart/spark";
import { Card } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, viewState } from "@/components/state/states";
import { RelativeTime } from "@/components/text/relative-time";
import { useBlock } from "../header";
import { useFound } from "../shared/subject-field";
import { checkedQuery, externalSummaryQuery, type Checked, type ExternalSummary } from "./api";
import { BudgetCard } from "./budget-card";
import classes from "./external.module.css";
import { ReportState } from "./report-state";
import { SchedulesCard } from "./schedules-card";

/** What the networks of mobile operators reach, flow by flow, and what the checks have cost. */
export default function ChecksPage() {
  const { t } = useTranslation("health");
  const summary = viewState(useQuery(externalSummaryQuery));
  const block = useBlock();
  return (
    <>
      <PageHeader title={t("external.title")} meta={t("external.lead")} closed={block} />
      {summary.kind === "loading" && <Skeleton rows={6} />}
      {summary.kind === "error" && (
        <ProblemView error={summary.error} onRetry={summary.retry} tried={t("external.loadFailed")} />
      )}
      {summary.kind === "ready" && <Body summary={summary.data} />}
    </>
  );
}

function Body({ summary }: { summary: ExternalSummary }) {
  if (!summary.configured && summary.reports === 0) return <FirstUse />;
  return (
    <>
      <Trouble summary={summary} />
      <Columns width="narrow" side={<BudgetCard summary={summary} />}>
        <FlowsCard />
        <SchedulesCard />
      </Columns>
    </>
  );
}

const settings = "/settings/{-$section}" as const;

/** Nothing was set up: what it is, what it costs, and the one act. */
function FirstUse() {
  const { t } = useTranslation("health");
  const { can } = useAccess();
  return (
    <EmptyState
      icon={IconRadar2}
      title={t("external.firstTitle")}
      act={
        can("health.manage") && (
          <ActionLink kind="filled" to={settings} params={{ section: "health" }}>
            {t("external.setUp")}
          </ActionLink>
        )
      }
    >
      <p>{t("external.firstText")}</p>
      <p>{t("external.firstMoney")}</p>
    </EmptyState>
  );
}

const troubles = ["key_refused", "balance_low", "timeout", "unreachable", "answer_unusable"] as const;

/** Why no check works at present. */
function Trouble({ summary: { trouble, configured } }: { summary: ExternalSummary }) {
  const { t } = useTranslation("health");
  const known = troubles.find((one) => one === trouble);
  if (configured && trouble === "") return null;
  return (
    <p className={classes.trouble} role="status">
      {configured ? t(`external.failed.${known ?? "other"}`) : t("external.noKey")}
    </p>
  );
}

function FlowsCard() {
  const { t } = useTranslation("health");
  const list = useInfiniteQuery(checkedQuery);
  const state = viewState(list);
  return (
    <Card title={t("external.flows")} label={t("external.flows")} right={<FlowPicker />} flush>
      {state.kind === "loading" && <Skeleton rows={4} />}
      {state.kind === "error" && (
        <ProblemView error={state.error} onRetry={state.retry} tried={t("external.loadFailed")} />
      )}
      {state.kind === "ready" && state.data.items.length === 0 && (
        <p className={classes.quiet}>{t("external.noFlows")}</p>
      )}
      {state.kind === "ready" && state.data.items.map((flow) => <FlowRow key={flow.flow_id} flow={flow} />)}
      {list.hasNextPage && (
        <div className={classes.more}>
          <Action busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t("app:table.more")}
          </Action>
        </div>
      )}
    </Card>
  );
}

function FlowRow({ flow: { flow_id: id, flow_name: name, last, trend } }: { flow: Checked }) {
  const { t } = useTranslation("health");
  const values = trend.filter(({ total }) => total > 0).map(({ passed, total }) => (100 * passed) / total);
  return (
    <div className={classes.flow}>
      <Link to="/checks/$id" params={{ id }}>
        {name}
      </Link>
      <ReportState report={last} />
      <Sparkline values={values} label={t("external.trendOf", { name })} />
      <span className="dim">
        <RelativeTime at={last.checked_at ?? last.asked_at} />
      </span>
    </div>
  );
}

/** Leads to any flow, also to one that was not checked yet. */
function FlowPicker() {
  const { t } = useTranslation("health");
  const go = useNavigate();
  const [text, setText] = useState("");
  const found = useFound("connection_unit", text);
  return (
    <Select
      aria-label={t("external.pick")}
      placeholder={t("external.pick")}
      searchable
      nothingFoundMessage={t("nothing")}
      data={found.map(({ id, name }) => ({ value: id, label: name }))}
      filter={({ options }) => options}
      value={null}
      searchValue={text}
      onSearchChange={setText}
      onChange={(id) => id && void go({ to: "/checks/$id", params: { id } })}
    />
  );
}
