import { IconAlertTriangle, IconPlayerPlay, IconRefresh } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action, ActionLink } from "@/components/action/action";
import { Card, Figure, Figures } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { Glyph } from "@/components/status/glyph";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemNote } from "@/components/state/problem-view";
import { Segmented } from "@/components/form/segmented";
import { EmptyState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import type { Flow, Plan } from "../shared/api";
import { ChecksCard } from "./checks-card";
import { personName } from "../shared/person-name";
import classes from "./plan.module.css";
import { changesOf, countChanges } from "./plan-changes";
import { PlanConflicts, PlanFindings } from "./plan-faults";
import { NodeChanges } from "./plan-nodes";
import { OrderOfWork } from "./plan-order";
import { heldByProbe, openChecks, type Standing } from "./plan-state";

export interface PlanViewProps {
  flow: Flow;
  plan: Plan;
  standing: Standing;
  closed: string | undefined;
  compileClosed: string | undefined;
  busy: { apply: boolean; recheck: boolean; compile: boolean };
  error: unknown;
  onApply: () => void;
  onForce: () => void;
  onRecheck: () => void;
  onCompile: () => void;
}

export function PlanView(props: PlanViewProps) {
  const { flow, plan, standing, error } = props;
  const { t } = useTranslation("flows");
  const [raw, setRaw] = useState(false);
  const against =
    flow.installed_version_number === null
      ? t("plan.first")
      : t("plan.against", { number: flow.installed_version_number });
  return (
    <>
      <PageHeader
        title={t("plan.title", { revision: plan.revision })}
        beside={<PlanState plan={plan} standing={standing} />}
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
            <Segmented
              label={t("plan.view")}
              value={raw ? "raw" : "nodes"}
              onChange={(value) => setRaw(value === "raw")}
              options={[
                { value: "nodes", label: t("plan.byNode") },
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
      <StandingNotice {...props} />
      <Summary plan={plan} />
      <Columns
        width="wide"
        sideFirst
        side={
          <>
            <ChecksCard plan={plan} />
          </>
        }
      >
        <PlanFindings plan={plan} flowId={flow.id} />
        <PlanConflicts plan={plan} flowId={flow.id} />
        {plan.is_noop ? (
          <Card>
            <EmptyState title={t("plan.noop")}>{t("plan.noopText")}</EmptyState>
          </Card>
        ) : raw ? (
          <Card title={t("plan.raw")}>
            {/* A scrolled region must be reachable by keyboard. */}
            {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <pre className={classes.raw} tabIndex={0} role="region" aria-label={t("plan.raw")}>
              {JSON.stringify({ diff: plan.diff, steps: plan.steps, rendered: plan.rendered }, null, 2)}
            </pre>
          </Card>
        ) : (
          <>
            <NodeChanges plan={plan} />
            {plan.steps.length > 0 && <OrderOfWork steps={plan.steps} />}
          </>
        )}
      </Columns>
      <div className={classes.bottom}>
        <PlanActs {...props} />
      </div>
    </>
  );
}

function PlanState({ plan, standing }: { plan: Plan; standing: Standing }) {
  const { t } = useTranslation("flows");
  if (standing === "applied") return <Status kind="in-sync">{t("plan.state.applied")}</Status>;
  if (standing === "outdated" || standing === "stale" || standing === "expired")
    return <Status kind="drifted">{t(`plan.state.${standing}`)}</Status>;
  if (standing === "applying") return <Status kind="applying">{t("config.applying")}</Status>;
  return <Status kind="draft">{t("plan.state.compiled", { revision: plan.revision })}</Status>;
}

/** The next safe step stands filled; force is offered for unconfirmed readiness only. */
function PlanActs({
  flow,
  plan,
  standing,
  closed,
  compileClosed,
  busy,
  onApply,
  onForce,
  onRecheck,
  onCompile,
}: PlanViewProps) {
  const { t } = useTranslation("flows");
  if (standing === "ready")
    return (
      <Action kind="filled" icon={IconPlayerPlay} busy={busy.apply} reason={closed} onClick={onApply}>
        {t("plan.apply")}
      </Action>
    );
  if (standing === "unconfirmed")
    return (
      <>
        <Action icon={IconAlertTriangle} reason={closed} onClick={onForce}>
          {t("plan.applyAnyway")}
        </Action>
        <Action kind="filled" icon={IconRefresh} busy={busy.recheck} reason={compileClosed} onClick={onRecheck}>
          {t("plan.recheck", { count: openChecks(plan).length })}
        </Action>
      </>
    );
  if (standing === "applying" && flow.last_apply_id)
    return (
      <ActionLink kind="filled" to={`/flows/${flow.id}/applies/${flow.last_apply_id}`}>
        {t("next.applying")}
      </ActionLink>
    );
  if (standing === "conflict" && heldByProbe(plan))
    return (
      <>
        <Action icon={IconRefresh} busy={busy.recheck} reason={compileClosed} onClick={onRecheck}>
          {t("plan.recheck", { count: openChecks(plan).length })}
        </Action>
        <ActionLink kind="filled" to={`/flows/${flow.id}/graph`}>
          {t("plan.openDraft")}
        </ActionLink>
      </>
    );
  if (standing === "errors" || standing === "conflict" || standing === "noop" || standing === "applied")
    return (
      <ActionLink kind="filled" to={`/flows/${flow.id}/graph`}>
        {t("plan.openDraft")}
      </ActionLink>
    );
  return (
    <Action kind="filled" icon={IconRefresh} busy={busy.compile} reason={compileClosed} onClick={onCompile}>
      {t("plan.compileAgain")}
    </Action>
  );
}

function StandingNotice({ flow, plan, standing }: PlanViewProps) {
  const { t } = useTranslation("flows");
  if (!["outdated", "stale", "expired", "errors", "conflict"].includes(standing)) return null;
  const crit = standing === "errors" || standing === "conflict";
  return (
    <div className={classes.standing} data-tone={crit ? "crit" : "warn"} role="status">
      <Glyph kind={crit ? "down" : "drifted"} />
      <span>{t(`plan.standing.${standing}`, { plan: plan.revision, draft: flow.draft_revision })}</span>
    </div>
  );
}

function Summary({ plan }: { plan: Plan }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const now = useNow();
  const counts = countChanges(changesOf(plan));
  const parts = (["added", "changed", "removed"] as const)
    .filter((op) => counts[op] > 0)
    .map((op) => t(`compare.${op}Count`, { count: counts[op] }));
  const reloads = plan.steps.filter((step) => step.interruption !== "none").length;
  const confirmed = plan.readiness.filter((check) => check.status === "confirmed").length;
  const left = (Date.parse(plan.expires_at) - now) / 1000;
  const who = personName(plan.created_by);
  return (
    <Card flush className={classes.summary}>
      <Figures>
        <Figure
          lead
          name={t("plan.changes")}
          value={format.number(counts.total)}
          note={parts.join(", ") || t("plan.none")}
        />
        <Figure
          lead
          name={t("plan.nodes")}
          value={format.number(plan.steps.length)}
          note={plan.steps.length > 1 ? t("plan.exitsFirst") : t("plan.oneNode")}
        />
        <Figure
          lead
          name={t("plan.interruption")}
          value={reloads === 0 ? t("plan.noInterruption") : t("plan.reloads", { count: reloads })}
          note={t("plan.oldServes")}
        />
        <Figure
          lead
          name={t("plan.readiness")}
          value={plan.readiness.length === 0 ? t("plan.noChecks") : `${confirmed} / ${plan.readiness.length}`}
          note={t(confirmed === plan.readiness.length ? "plan.allConfirmed" : "plan.someOpen", {
            count: plan.readiness.length - confirmed,
          })}
        />
        <Figure
          lead
          name={t("plan.expires")}
          value={
            plan.state === "applied"
              ? t("plan.state.applied")
              : left > 0
                ? t("plan.in", { span: format.span(left) })
                : t("plan.expired")
          }
          note={`${t("plan.compiledAt", { time: format.clock(plan.created_at) })}${who ? ` ${t("by", { who })}` : ""}`}
        />
      </Figures>
    </Card>
  );
}
