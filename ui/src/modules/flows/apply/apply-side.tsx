import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { isWatched } from "../canary/canary-acts";
import { CanaryCard } from "../canary/canary-card";
import { namedQuery, type Apply, type Flow } from "../shared/api";
import { useCheckWords } from "../shared/check-words";
import { NodeLink } from "../shared/node-link";
import { useSaid } from "../shared/said";
import { serverGlyph } from "../shared/states";
import classes from "./apply.module.css";

/** Beside the log: what a failure would mean or what it was, and what was bypassed. */
export function ApplySide({ apply, flow }: { apply: Apply; flow: Flow | undefined }) {
  return (
    <>
      {apply.state === "apply_failed" && <Failure apply={apply} flow={flow} />}
      {apply.canary && <CanaryCard apply={apply} canary={apply.canary} />}
      {apply.state === "applying" && <FailureRule apply={apply} flow={flow} />}
      <Bypassed apply={apply} />
    </>
  );
}

function FailureRule({ apply, flow }: { apply: Apply; flow: Flow | undefined }) {
  const { t } = useTranslation("flows");
  const number = flow?.installed_version_number;
  return (
    <Card title={t("apply.ifFails")}>
      <ol className={classes.rule}>
        <li>{t(isWatched(apply) ? "apply.rule1Canary" : "apply.rule1")}</li>
        <li>{number ? t("apply.rule2", { number }) : t("apply.rule2First")}</li>
        <li>{t("apply.rule3")}</li>
        <li>{t(apply.canary ? "apply.ruleTimeCanary" : "apply.ruleTime")}</li>
      </ol>
    </Card>
  );
}

/** Why it failed, where, and that users keep what they had. */
function Failure({ apply, flow }: { apply: Apply; flow: Flow | undefined }) {
  const { t } = useTranslation("flows");
  const said = useSaid();
  const number = flow?.installed_version_number;
  const notBack = apply.steps.filter((step) => step.state === "revert_failed");
  const reason = useReason();
  const { error } = apply;
  const stopped = error?.code === "stopped";
  return (
    <Card title={t(stopped ? "apply.whyStopped" : "apply.whyFailed")}>
      <div className={classes.failure} role="alert">
        <p>
          {error?.node_id && (
            <>
              <NodeLink id={error.node_id}>{error.node_name}</NodeLink>
              {": "}
            </>
          )}
          <span className="strong">
            {stopped ? t("apply.stoppedBy", { who: error.by ?? "" }) : error ? reason(error) : said(apply.text)}
          </span>
        </p>
        {error?.code && !stopped && <code className="dim">{error.code}</code>}
        <p className="soft">{number ? t("serves.still", { number }) : t("serves.nothing")}.</p>
        <Unwell flow={flow} />
        {notBack.length > 0 && (
          <p className={classes.bad}>
            {t("apply.notReverted")}{" "}
            {notBack.map((step, index) => (
              <span key={step.node_id}>
                {index > 0 && ", "}
                <NodeLink id={step.node_id}>{step.node_name}</NodeLink>
              </span>
            ))}
          </p>
        )}
      </div>
    </Card>
  );
}

/** Nodes of the flow that may be the reason, although no step of the apply was theirs. */
function Unwell({ flow }: { flow: Flow | undefined }) {
  const { t } = useTranslation("flows");
  const { data: nodes = [] } = useQuery(namedQuery(flow?.node_ids ?? []));
  const unwell = nodes.filter(({ state }) => state !== "online" && state !== "maintenance");
  if (unwell.length === 0) return null;
  return (
    <>
      <p>{t("apply.unwell")}</p>
      <ul className={classes.unwell}>
        {unwell.map(({ id, name, state }) => (
          <li key={id}>
            <NodeLink id={id}>{name}</NodeLink>
            <Status kind={serverGlyph[state]}>{t(`server.${state}`)}</Status>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The panel puts the node's name before its sentence; here the name is a link of its own. */
function useReason(): (error: NonNullable<Apply["error"]>) => string {
  const { t } = useTranslation("flows");
  const said = useSaid();
  return ({ code, message, node_name, policy = "", rule, rule_name }) => {
    const own = node_name && message.startsWith(`${node_name}: `) ? message.slice(node_name.length + 2) : message;
    const named = rule_name || (rule ? t(`policyRule.${rule as "presets"}`) : "");
    return said({ code, text: own, ...(policy && { params: { policy, rule: named } }) });
  };
}

function Bypassed({ apply }: { apply: Apply }) {
  const { t } = useTranslation("flows");
  const words = useCheckWords();
  if (apply.bypassed_checks.length === 0) return null;
  return (
    <Card title={t("bypass.title")} aside={apply.bypassed_checks.length}>
      <ul className={classes.bypassed}>
        {apply.bypassed_checks.map((check) => (
          <li key={`${check.key} ${check.node_id}`}>
            <Glyph kind="bypassed" size={14} label={t(`checks.${check.status}`)} />
            <span>
              {t(`checks.${check.status}`)}: {words(check)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
