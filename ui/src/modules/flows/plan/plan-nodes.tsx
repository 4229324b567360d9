import { IconArrowRight, IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { Status } from "@/components/status/status";
import type { Plan, Step } from "../shared/api";
import { usePlaces } from "../editor/editor-context";
import classes from "./plan.module.css";
import { changesOf, countChanges, type NamedChange } from "./plan-changes";

const signs = { added: "+", changed: "~", removed: "−" } as const;

/** What changes, one card for each server, in the order of work. */
export function NodeChanges({ plan }: { plan: Plan }) {
  const changes = changesOf(plan);
  const order = plan.steps.map((step) => step.node_id);
  const ids = [...new Set([...order, ...changes.map((change) => change.node_id)])];
  return ids.map((id) => (
    <NodeCard
      key={id}
      nodeId={id}
      step={plan.steps.find((step) => step.node_id === id)}
      changes={changes.filter((change) => change.node_id === id)}
    />
  ));
}

function NodeCard({ nodeId, step, changes }: { nodeId: string; step: Step | undefined; changes: NamedChange[] }) {
  const { t } = useTranslation("flows");
  const { servers } = usePlaces();
  const [open, setOpen] = useState(true);
  const server = servers.get(nodeId);
  const counts = countChanges(changes);
  const parts = (["added", "changed", "removed"] as const)
    .filter((op) => counts[op] > 0)
    .map((op) => t(`compare.${op}Count`, { count: counts[op] }));
  const Chevron = open ? IconChevronDown : IconChevronRight;
  return (
    <Card flush>
      <h2>
        <button type="button" className={classes.nodeHead} aria-expanded={open} onClick={() => setOpen(!open)}>
          <Chevron size={15} stroke={1.6} aria-hidden />
          <span className="strong">{server?.name ?? step?.node_name ?? nodeId}</span>
          <span className="dim">{server?.city}</span>
          <span className={classes.counts}>{parts.join(", ")}</span>
          {step && (
            <span className={classes.interruption}>
              {step.interruption === "none" ? (
                <Status kind="healthy">{t("plan.noInterruption")}</Status>
              ) : (
                <Status kind="degraded" quiet>
                  {t(`interruption.${step.interruption}`)}
                </Status>
              )}
            </span>
          )}
        </button>
      </h2>
      {open && (
        <ul className={classes.changes}>
          {changes.map((change, index) => (
            <ChangeRow key={index} change={change} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function ChangeRow({ change }: { change: NamedChange }) {
  const { t } = useTranslation("flows");
  return (
    <li className={classes.change} data-op={change.op}>
      <span className={classes.sign} aria-label={t(`compare.${change.op}`)} role="img">
        {signs[change.op]}
      </span>
      <span className={classes.object}>
        <span className="dim">{t(`diff.${change.group}`)}</span> {change.name}
      </span>
      <span className={classes.field}>{change.field}</span>
      <span className={classes.value}>
        {change.op === "changed" ? (
          <>
            {change.from && <del>{change.from}</del>}
            {change.from && <IconArrowRight size={13} stroke={1.6} aria-label={t("diff.to")} />}
            <ins>{change.to || t("compare.removed")}</ins>
          </>
        ) : change.op === "added" ? (
          <ins>{change.to}</ins>
        ) : (
          <del>{change.from}</del>
        )}
      </span>
    </li>
  );
}
