import { IconArrowRight, IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { Status } from "@/components/status/status";
import { inTurn } from "../canary/in-turn";
import type { Drawing } from "../drawing/drawing";
import { useFormat } from "@/text/use-format";
import { trafficQuery, type Flow, type Plan, type Step } from "../shared/api";
import { atStake, type AtStake } from "../shared/loads";
import { serves } from "../shared/states";
import { NodeLink } from "../shared/node-link";
import { useChangeWords, type ChangeWords } from "./change-words";
import classes from "./plan.module.css";
import { changesOf, countChanges, type NamedChange } from "./plan-changes";

const signs = { added: "+", changed: "~", removed: "−" } as const;

interface NodeChangesProps {
  flow: Flow;
  plan: Plan;
  drawings: readonly (Drawing | undefined)[];
}

/** What changes, one card for each server, in the order of work. */
export function NodeChanges({ flow, plan, drawings }: NodeChangesProps) {
  const traffic = useQuery({ ...trafficQuery(flow.id), enabled: serves(flow) && plan.state !== "applied" }).data;
  const changes = changesOf(plan);
  const words = useChangeWords(drawings);
  const order = inTurn(plan.steps, plan.canary).map((step) => step.node_id);
  const ids = [...new Set([...order, ...changes.map((change) => change.node_id)])];
  return ids.map((id) => (
    <NodeCard
      key={id}
      nodeId={id}
      step={plan.steps.find((step) => step.node_id === id)}
      changes={changes.filter((change) => change.node_id === id)}
      words={words}
      stake={atStake(traffic, [id])}
    />
  ));
}

interface NodeCardProps {
  nodeId: string;
  step: Step | undefined;
  changes: NamedChange[];
  words: ChangeWords;
  stake: AtStake;
}

function NodeCard({ nodeId, step, changes, words, stake }: NodeCardProps) {
  const { t } = useTranslation("flows");
  const [open, setOpen] = useState(true);
  const counts = countChanges(changes);
  const parts = (["added", "changed", "removed"] as const)
    .filter((op) => counts[op] > 0)
    .map((op) => t(`compare.${op}Count`, { count: counts[op] }));
  const Chevron = open ? IconChevronDown : IconChevronRight;
  const name = step?.node_name ?? (nodeId ? nodeId.slice(-6) : t("plan.outside"));
  return (
    <Card flush>
      <div className={classes.nodeHead}>
        <button
          type="button"
          className={classes.fold}
          aria-expanded={open}
          aria-label={t(open ? "plan.foldNode" : "plan.unfoldNode", { name })}
          onClick={() => setOpen(!open)}
        >
          <Chevron size={15} stroke={1.6} aria-hidden />
        </button>
        <h2>
          <NodeLink id={nodeId}>{name}</NodeLink>
        </h2>
        {step && <span className="dim">{t(`role.${step.role}`)}</span>}
        {step && <Stake stake={stake} />}
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
      </div>
      {open && (
        <ChangeList changes={changes} words={words}>
          {changes.length === 0 && step && <li className={classes.noChecks}>{t(`step.detail.${step.detail_code}`)}</li>}
        </ChangeList>
      )}
    </Card>
  );
}

/** What runs over the node now. */
function Stake({ stake: { sessions, rate } }: { stake: AtStake }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const { value, unit } = format.bits(rate ?? 0);
  const parts = [
    sessions !== undefined && t("stake.sessions", { count: sessions, shown: format.number(sessions) }),
    rate !== undefined && t("stake.rate", { rate: `${value} ${unit}` }),
  ].filter(Boolean);
  return parts.length > 0 ? <span className="soft num">{parts.join(", ")}</span> : null;
}

interface ChangeListProps {
  changes: readonly NamedChange[];
  words: ChangeWords;
  /** Rows after the changes. */
  children?: ReactNode;
}

export function ChangeList({ changes, words, children }: ChangeListProps) {
  return (
    <ul className={classes.changes}>
      {changes.map((change, index) => (
        <ChangeRow key={index} change={change} words={words} />
      ))}
      {children}
    </ul>
  );
}

function ChangeRow({ change, words }: { change: NamedChange; words: ChangeWords }) {
  const { t } = useTranslation("flows");
  return (
    <li className={classes.change} data-op={change.op}>
      <span className={classes.sign} aria-label={t(`compare.${change.op}`)} role="img">
        {signs[change.op]}
      </span>
      <span className={classes.object}>
        <span className="dim">{t(`diff.${change.group}`)}</span> {words.object(change)}
      </span>
      <span className={classes.value}>
        {change.field && <span className={classes.field}>{words.field(change.field)} </span>}
        {change.op === "changed" ? (
          <>
            {change.from && <del>{words.value(change.field, change.from)}</del>}
            {change.from && <IconArrowRight size={13} stroke={1.6} aria-label={t("diff.to")} />}
            <ins>{words.value(change.field, change.to) || t("compare.removed")}</ins>
          </>
        ) : change.op === "added" ? (
          <ins>{words.whole(change.to_fields, change.to)}</ins>
        ) : (
          <del>{words.whole(change.from_fields, change.from)}</del>
        )}
      </span>
    </li>
  );
}
