import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Segmented } from "@/components/form/segmented";
import { Card } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemNote } from "@/components/state/problem-view";
import { EmptyState } from "@/components/state/states";
import { Glyph } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { Drawing } from "../drawing/drawing";
import type { Plan } from "../shared/api";
import { ChecksCard } from "./checks-card";
import { PlanActs, type PlanActsProps } from "./plan-acts";
import classes from "./plan.module.css";
import { PlanConflicts, PlanFindings, PlanObstacles } from "./plan-faults";
import { PlanGraph } from "./plan-graph";
import { NodeChanges } from "./plan-nodes";
import { OrderOfWork } from "./plan-order";
import { waitingChecks, type PlanStatus } from "./plan-state";
import { PlanSummary } from "./plan-summary";

type View = "nodes" | "graph" | "raw";

export interface PlanViewProps extends PlanActsProps {
  /** Drawings to find blocks in, the one that the plan was compiled from first. */
  drawings: readonly (Drawing | undefined)[];
  error: unknown;
}

export function PlanView(props: PlanViewProps) {
  const { flow, plan, status, error, drawings } = props;
  const { t } = useTranslation("flows");
  const [view, setView] = useState<View>("nodes");
  const against =
    flow.installed_version_number === null
      ? t("plan.first")
      : t("plan.against", { number: flow.installed_version_number });
  return (
    <>
      <PageHeader
        title={t("plan.title", { revision: plan.revision })}
        beside={<PlanState plan={plan} status={status} />}
        meta={
          <span>
            <Link to={`/flows/${flow.id}`} className={classes.flowLink}>
              {flow.name}
            </Link>
            , {against}
          </span>
        }
        actions={
          <>
            <Segmented<View>
              label={t("plan.view")}
              value={view}
              onChange={setView}
              options={[
                { value: "nodes", label: t("plan.byNode") },
                ...(drawnAfter(plan, drawings) ? [{ value: "graph" as const, label: t("plan.graph") }] : []),
                { value: "raw", label: t("plan.raw") },
              ]}
            />
            <span className={classes.wideActs}>
              <PlanActs {...props} />
            </span>
          </>
        }
      />
      {error !== null && error !== undefined && (
        <div className={classes.notice}>
          <ProblemNote error={error} />
        </div>
      )}
      <StatusNotice {...props} />
      <PlanSummary flow={flow} plan={plan} status={status} />
      <Columns
        width="wide"
        sideFirst
        side={<ChecksCard plan={plan} checking={status === "checking" || waitingWhileBlocked(plan, status)} />}
      >
        <PlanObstacles plan={plan} drawing={drawings[0]} />
        <PlanFindings plan={plan} flowId={flow.id} drawing={drawings[0]} />
        <PlanConflicts plan={plan} flowId={flow.id} />
        <Differences flow={flow} plan={plan} drawings={drawings} view={view} />
      </Columns>
      <div className={classes.bottom}>
        <PlanActs {...props} />
      </div>
    </>
  );
}

/** What the plan would install; of an applied one that is installed, so that there is nothing to compare. */
function drawnAfter(plan: Plan, drawings: PlanViewProps["drawings"]): Drawing | undefined {
  return plan.state === "applied" ? undefined : drawings[0];
}

function waitingWhileBlocked(plan: Plan, status: PlanStatus): boolean {
  return status === "blocked" && waitingChecks(plan).length > 0;
}

function Differences({
  flow,
  plan,
  drawings,
  view,
}: Pick<PlanViewProps, "flow" | "plan" | "drawings"> & { view: View }) {
  const { t } = useTranslation("flows");
  if (plan.is_noop)
    return (
      <Card>
        <EmptyState title={t("plan.noop")}>{t("plan.noopText")}</EmptyState>
      </Card>
    );
  const after = drawnAfter(plan, drawings);
  if (view === "graph" && after) return <PlanGraph after={after} before={drawings[1]} />;
  if (view === "raw")
    return (
      <Card title={t("plan.raw")}>
        {/* A scrolled region must be reachable by keyboard. */}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre className={classes.raw} tabIndex={0} role="region" aria-label={t("plan.raw")}>
          {JSON.stringify({ diff: plan.diff, steps: plan.steps, rendered: plan.rendered }, null, 2)}
        </pre>
      </Card>
    );
  return (
    <>
      <NodeChanges flow={flow} plan={plan} drawings={drawings} />
      {plan.steps.length > 0 && <OrderOfWork plan={plan} />}
    </>
  );
}

function PlanState({ plan, status }: { plan: Plan; status: PlanStatus }) {
  const { t } = useTranslation("flows");
  if (status === "applied") return <Status kind="in-sync">{t("plan.state.applied")}</Status>;
  if (status === "outdated" || status === "stale" || status === "expired")
    return <Status kind="drifted">{t(`plan.state.${status}`)}</Status>;
  if (status === "applying") return <Status kind="applying">{t("config.applying")}</Status>;
  return <Status kind="draft">{t("plan.state.compiled", { revision: plan.revision })}</Status>;
}

function StatusNotice({ flow, plan, status }: PlanViewProps) {
  const { t } = useTranslation("flows");
  if (!["outdated", "stale", "expired", "errors", "conflict", "blocked"].includes(status)) return null;
  const crit = status === "errors" || status === "conflict" || status === "blocked";
  return (
    <div className={classes.status} data-tone={crit ? "crit" : "warn"} role="status">
      <Glyph kind={crit ? "down" : "drifted"} />
      <span>{t(`plan.notice.${status}`, { plan: plan.revision, draft: flow.draft_revision })}</span>
    </div>
  );
}
