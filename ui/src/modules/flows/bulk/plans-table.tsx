import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Status } from "@/components/status/status";
import type { GlyphKind } from "@/components/status/glyph";
import { DataTable, type Column } from "@/components/table/data-table";
import { problemText } from "@/text/problem-text";
import { changesOf, countChanges } from "../plan/plan-changes";
import classes from "./bulk.module.css";
import type { PlannedFlow, PlannedStatus } from "./use-planned-flows";

/** The plans of the chosen flows, each with what stands in its way. */
export function PlansTable({ planned }: { planned: readonly PlannedFlow[] }) {
  const { t } = useTranslation("flows");
  const columns: Column<PlannedFlow>[] = [
    { key: "flow", head: t("list.flow"), cell: (one) => <FlowName one={one} /> },
    { key: "state", head: t("bulk.state"), width: 330, cell: (one) => <PlanState one={one} /> },
    { key: "changes", head: t("plan.changes"), width: 220, drop: 1, cell: (one) => <Changes one={one} /> },
    { key: "nodes", head: t("plan.nodes"), width: 90, align: "right", drop: 2, cell: ({ plan }) => plan?.steps.length },
    { key: "cut", head: t("plan.interruption"), width: 170, drop: 3, cell: (one) => <Interruption one={one} /> },
    { key: "plan", head: t("bulk.plan"), quietHead: true, width: 130, cell: (one) => <PlanLink one={one} /> },
  ];
  return (
    <DataTable
      label={t("bulk.plans")}
      rows={planned}
      columns={columns}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      total={planned.length}
      phone={(one) => (
        <span className={classes.phone}>
          <FlowName one={one} />
          <PlanState one={one} />
          <span className="dim">
            <Changes one={one} />
          </span>
          <PlanLink one={one} />
        </span>
      )}
    />
  );
}

function FlowName({ one: { id, name } }: { one: PlannedFlow }) {
  return (
    <Link to={`/flows/${id}`} className="strong">
      {name}
    </Link>
  );
}

const glyphs: Record<PlannedStatus, GlyphKind> = {
  compiling: "applying",
  refused: "failed",
  ready: "healthy",
  noop: "in-sync",
  checking: "applying",
  applying: "applying",
  applied: "in-sync",
  unconfirmed: "degraded",
  blocked: "failed",
  errors: "failed",
  conflict: "failed",
  outdated: "drifted",
  stale: "drifted",
  expired: "drifted",
};

function PlanState({ one: { status, error } }: { one: PlannedFlow }) {
  const { t } = useTranslation("flows");
  return (
    <span className={classes.state}>
      <Status kind={glyphs[status]} inTable>
        {t(`bulk.status.${status}`)}
      </Status>
      {error !== null && <span className="dim">{problemText(error)}</span>}
    </span>
  );
}

function Changes({ one: { plan } }: { one: PlannedFlow }) {
  const { t } = useTranslation("flows");
  if (!plan) return null;
  const counts = countChanges(changesOf(plan));
  const parts = (["added", "changed", "removed"] as const)
    .filter((op) => counts[op] > 0)
    .map((op) => t(`compare.${op}Count`, { count: counts[op] }));
  return <>{parts.join(", ") || t("bulk.noChanges")}</>;
}

function Interruption({ one: { plan } }: { one: PlannedFlow }) {
  const { t } = useTranslation("flows");
  if (!plan) return null;
  const reloads = plan.steps.filter((step) => step.interruption !== "none").length;
  return <>{reloads === 0 ? t("plan.noInterruption") : t("plan.reloads", { count: reloads })}</>;
}

function PlanLink({ one: { id, plan } }: { one: PlannedFlow }) {
  const { t } = useTranslation("flows");
  if (!plan) return null;
  return <Link to={`/flows/${id}/plans/${plan.id}`}>{t("bulk.openPlan")}</Link>;
}
