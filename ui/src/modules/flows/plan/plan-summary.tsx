import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Card, Figure, Figures } from "@/components/layout/card";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import { trafficQuery, type Flow, type Plan } from "../shared/api";
import { atStake, type AtStake } from "../shared/loads";
import { personName } from "../shared/person-name";
import { serves } from "../shared/states";
import classes from "./plan.module.css";
import { changesOf, countChanges } from "./plan-changes";
import type { PlanStatus } from "./plan-state";

/** What the plan comes to: changes, nodes, what clients notice, checks, and how long it holds. */
export function PlanSummary({ flow, plan, status }: { flow: Flow; plan: Plan; status: PlanStatus }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const counts = countChanges(changesOf(plan));
  const parts = (["added", "changed", "removed"] as const)
    .filter((op) => counts[op] > 0)
    .map((op) => t(`compare.${op}Count`, { count: counts[op] }));
  const reloads = plan.steps.filter((step) => step.interruption !== "none").length;
  const first = flow.installed_version_number === null;
  const stake = useAtStake(flow, plan);
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
          note={plan.steps.length > 1 ? t(plan.canary ? "plan.canaryFirst" : "plan.exitsFirst") : t("plan.oneNode")}
        />
        <Figure
          lead
          name={t("plan.interruption")}
          value={first || reloads === 0 ? t("plan.noInterruption") : t("plan.reloads", { count: reloads })}
          note={t(first ? "plan.nothingServes" : "plan.oldServes")}
        />
        {stake && (
          <Figure
            lead
            name={t("stake.title")}
            value={stake.sessions === undefined ? t("stake.uncounted") : format.number(stake.sessions)}
            note={t(stake.sessions === undefined ? "stake.uncountedNote" : "stake.note")}
          />
        )}
        {plan.canary && (
          <Figure
            lead
            name={t("canary.title")}
            value={plan.canary.nodes.map((node) => node.node_name).join(", ")}
            note={t("canary.planned", { time: format.span(plan.canary.watch_s), count: plan.canary.rest })}
          />
        )}
        <Readiness plan={plan} status={status} />
        <Validity plan={plan} />
      </Figures>
    </Card>
  );
}

/** What runs now over the nodes that reload; undefined where no client can notice anything. */
function useAtStake(flow: Flow, plan: Plan): AtStake | undefined {
  const traffic = useQuery({ ...trafficQuery(flow.id), enabled: serves(flow) && plan.state !== "applied" }).data;
  const reloading = plan.steps.filter((step) => step.interruption !== "none").map((step) => step.node_id);
  return serves(flow) && plan.state !== "applied" && reloading.length > 0 ? atStake(traffic, reloading) : undefined;
}

function Readiness({ plan, status }: { plan: Plan; status: PlanStatus }) {
  const { t } = useTranslation("flows");
  const of = (status: Plan["readiness"][0]["status"]) =>
    plan.readiness.filter((check) => check.status === status).length;
  const open = [
    of("failed") > 0 && t("checks.count.failed", { count: of("failed") }),
    of("unconfirmed") > 0 && t("checks.count.unconfirmed", { count: of("unconfirmed") }),
  ].filter(Boolean);
  const note = status === "checking" ? t("plan.checksRun") : open.join(", ") || t("plan.allConfirmed");
  return (
    <Figure
      lead
      name={t("plan.readiness")}
      value={plan.readiness.length === 0 ? t("plan.noChecks") : `${of("confirmed")} / ${plan.readiness.length}`}
      note={plan.readiness.length === 0 ? t("plan.nothingToCheck") : note}
    />
  );
}

function Validity({ plan }: { plan: Plan }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const left = (Date.parse(plan.expires_at) - useNow()) / 1000;
  const who = personName(plan.created_by);
  const time = format.clock(plan.created_at);
  const note = who ? t("plan.compiledBy", { time, who }) : t("plan.compiledAt", { time });
  if (plan.state === "applied")
    return <Figure lead name={t("plan.status")} value={t("plan.state.applied")} note={note} />;
  return (
    <Figure
      lead
      name={t("plan.expires")}
      value={left > 0 ? t("plan.in", { span: format.span(left) }) : t("plan.expired")}
      note={note}
    />
  );
}
