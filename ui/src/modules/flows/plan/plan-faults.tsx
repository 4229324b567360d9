import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card, Row, Rows } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import { flowQuery, type Conflict, type Plan } from "../shared/api";
import { usePlaces } from "../editor/editor-context";
import classes from "./plan.module.css";
import { useProblemText } from "../editor/problems/problem-words";

/** Errors and warnings of the compiler; errors are never passed by force. */
export function PlanFindings({ plan, flowId }: { plan: Plan; flowId: string }) {
  const { t } = useTranslation("flows");
  const words = useProblemText();
  const all = [
    ...plan.errors.map((finding) => ({ ...finding, severity: "error" as const })),
    ...plan.warnings.map((finding) => ({ ...finding, severity: "warning" as const })),
  ];
  if (all.length === 0) return null;
  return (
    <Card flush title={t("plan.findings")} aside={all.length}>
      <Rows label={t("plan.findings")}>
        {all.map((finding) => (
          <Row key={`${finding.code} ${finding.path}`}>
            <Glyph
              kind={finding.severity === "error" ? "down" : "degraded"}
              label={t(`problems.${finding.severity}`)}
            />
            <span className={classes.grow}>{words(finding)}</span>
            <code className="dim">{finding.path}</code>
            <Link to={`/flows/${flowId}/graph`}>{t("plan.openDraft")}</Link>
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

export function PlanConflicts({ plan, flowId }: { plan: Plan; flowId: string }) {
  const { t } = useTranslation("flows");
  if (plan.conflicts.length === 0) return null;
  return (
    <Card flush title={t("conflicts.title")} aside={plan.conflicts.length}>
      <Rows label={t("conflicts.title")}>
        {plan.conflicts.map((conflict) => (
          <ConflictRow
            key={`${conflict.node_id} ${conflict.l4} ${conflict.port}`}
            conflict={conflict}
            flowId={flowId}
          />
        ))}
      </Rows>
    </Card>
  );
}

function ConflictRow({ conflict, flowId }: { conflict: Conflict; flowId: string }) {
  const { t } = useTranslation("flows");
  const { servers } = usePlaces();
  const other = conflict.with.flow_id;
  const holder = useQuery({ ...flowQuery(other ?? ""), enabled: Boolean(other), retry: false });
  const port = `${conflict.port}/${conflict.l4}`;
  const node = servers.get(conflict.node_id)?.name ?? conflict.node_id;
  const name = other
    ? (holder.data?.name ?? t("conflicts.otherFlow"))
    : (conflict.with.process ?? conflict.with.listener ?? "");
  return (
    <Row>
      <Glyph kind="down" label={t("problems.error")} />
      <span className={classes.grow}>
        <span className="strong">{t("conflicts.port", { port, node })}</span>{" "}
        {other ? (
          <Link to={`/flows/${other}`}>{t("conflicts.byFlow", { name })}</Link>
        ) : (
          <span className="soft">{t("conflicts.byProcess", { name })}</span>
        )}
      </span>
      <Link to={`/flows/${flowId}/graph`}>{t("conflicts.change")}</Link>
    </Row>
  );
}
