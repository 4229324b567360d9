import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card, Row, Rows } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import type { Drawing } from "../drawing/drawing";
import { usePlaceWords } from "../editor/problems/place-words";
import { useProblemText } from "../editor/problems/problem-words";
import { flowQuery, type Conflict, type Plan } from "../shared/api";
import { NodeLink } from "../shared/node-link";
import { useSaid } from "../shared/said";
import classes from "./plan.module.css";

interface FaultsProps {
  plan: Plan;
  flowId: string;
  /** The drawing that the plan was compiled from, where it is still there. */
  drawing: Drawing | undefined;
}

/** Errors and warnings of the compiler; errors are never passed by force. */
export function PlanFindings({ plan, flowId, drawing }: FaultsProps) {
  const { t } = useTranslation("flows");
  const words = useProblemText();
  const place = usePlaceWords(drawing);
  const all = [
    ...plan.errors.map((finding) => ({ ...finding, severity: "error" as const })),
    ...plan.warnings.map((finding) => ({ ...finding, severity: "warning" as const })),
  ];
  if (all.length === 0) return null;
  return (
    <Card flush title={t("plan.findings")} aside={all.length}>
      <Rows label={t("plan.findings")}>
        {all.map((finding) => (
          <Row key={`${finding.code} ${finding.path} ${finding.message}`}>
            <Glyph
              kind={finding.severity === "error" ? "down" : "degraded"}
              label={t(`problems.${finding.severity}`)}
            />
            <span className={classes.grow}>
              {words(finding)} <span className="dim">{place(finding.path)}</span>
            </span>
            <Link to={`/flows/${flowId}/graph`}>{t("plan.openDraft")}</Link>
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

/** What keeps the plan from being applied, also with force: each with the node to look at. Taken ports have a card. */
export function PlanObstacles({ plan, drawing }: Pick<FaultsProps, "plan" | "drawing">) {
  const { t } = useTranslation("flows");
  const said = useSaid();
  const place = usePlaceWords(drawing);
  const all = plan.obstacles.filter((obstacle) => obstacle.code !== "port_conflict");
  if (all.length === 0) return null;
  return (
    <Card flush title={t("obstacles.title")} aside={all.length}>
      <Rows label={t("obstacles.title")}>
        {all.map((obstacle) => (
          <Row key={`${obstacle.code} ${obstacle.node_id} ${obstacle.path}`}>
            <Glyph kind="down" label={t("problems.error")} />
            <span className={classes.grow}>
              {said(obstacle.finding)}{" "}
              <span className="dim">{obstacle.path ? place(obstacle.path) : t(`obstacles.do.${obstacle.code}`)}</span>
            </span>
            {obstacle.node_id && <NodeLink id={obstacle.node_id}>{obstacle.node_name}</NodeLink>}
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

export function PlanConflicts({ plan, flowId }: Pick<FaultsProps, "plan" | "flowId">) {
  const { t } = useTranslation("flows");
  if (plan.conflicts.length === 0) return null;
  const nodes = new Map(plan.obstacles.map((obstacle) => [obstacle.node_id, obstacle.node_name]));
  return (
    <Card flush title={t("conflicts.title")} aside={plan.conflicts.length}>
      <Rows label={t("conflicts.title")}>
        {plan.conflicts.map((conflict) => (
          <ConflictRow
            key={`${conflict.node_id} ${conflict.l4} ${conflict.port}`}
            conflict={conflict}
            node={nodes.get(conflict.node_id) ?? conflict.node_id.slice(-6)}
            flowId={flowId}
          />
        ))}
      </Rows>
    </Card>
  );
}

function ConflictRow({ conflict, node, flowId }: { conflict: Conflict; node: string; flowId: string }) {
  const { t } = useTranslation("flows");
  const other = conflict.with.flow_id;
  const holder = useQuery({ ...flowQuery(other ?? ""), enabled: Boolean(other), retry: false });
  const port = `${conflict.port}/${conflict.l4}`;
  return (
    <Row>
      <Glyph kind="down" label={t("problems.error")} />
      <span className={classes.grow}>
        <span className="strong">{t("conflicts.port", { port, node })}</span>{" "}
        {other ? (
          <Link to={`/flows/${other}`}>
            {t("conflicts.byFlow", { name: holder.data?.name ?? t("conflicts.otherFlow") })}
          </Link>
        ) : (
          <span className="soft">
            {conflict.with.process
              ? t("conflicts.byProcess", { name: conflict.with.process })
              : t("conflicts.bySomeone")}
          </span>
        )}
      </span>
      <Link to={`/flows/${flowId}/graph`}>{t("conflicts.change")}</Link>
    </Row>
  );
}
