import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Segmented } from "@/components/form/segmented";
import { ProblemNote } from "@/components/state/problem-view";
import { dryRunQuery, type Repair, type RepairAct } from "../repairs/api";
import { useDryRunText } from "../repairs/dry-run-card";
import { actText, ladder } from "../repairs/repair-text";
import { Numbers } from "./numbers";
import classes from "./policies.module.css";
import { errorUnder, usualShare } from "./policy-form";

interface RepairFieldsProps {
  repair: Repair;
  /** Whose nodes a preview is of; left out: of all. */
  policyId: string | undefined;
  wrong: Record<string, string>;
  onChange: (repair: Repair) => void;
}

const modes = ["observe", "suggest", "auto"] as const;

/** How far self-repair goes, what it may do and how often. */
export function RepairFields({ repair, policyId, wrong, onChange }: RepairFieldsProps) {
  const { t } = useTranslation("health");
  const { limits } = repair;
  const toggle = (act: RepairAct, on: boolean) =>
    onChange({ ...repair, actions: ladder.filter((one) => (one === act ? on : repair.actions.includes(one))) });
  return (
    <fieldset className={classes.group}>
      <legend>{t("repairs.tab")}</legend>
      <div>
        <Segmented
          label={t("repair.modeField")}
          value={repair.mode}
          onChange={(mode) => onChange({ ...repair, mode })}
          options={modes.map((value) => ({ value, label: t(`repair.mode.${value}`) }))}
        />
      </div>
      {ladder.map((act) => (
        <Checkbox
          key={act}
          label={actText(t, act)}
          description={t(`repair.effect.${act}`)}
          checked={repair.actions.includes(act)}
          onChange={(event) => toggle(act, event.currentTarget.checked)}
        />
      ))}
      <div className={classes.pair}>
        <Numbers
          label={t("repair.perHour")}
          value={limits.max_actions_per_hour}
          least={1}
          most={1_000}
          error={errorUnder(wrong, "repair.limits.max_actions_per_hour")}
          onChange={(max_actions_per_hour) => onChange({ ...repair, limits: { ...limits, max_actions_per_hour } })}
        />
        <Numbers
          label={t("repair.cooldown")}
          value={limits.cooldown_s}
          least={60}
          most={86_400}
          error={errorUnder(wrong, "repair.limits.cooldown_s")}
          onChange={(cooldown_s) => onChange({ ...repair, limits: { ...limits, cooldown_s } })}
        />
        {repair.actions.includes("withdraw_from_pool") && (
          <Numbers
            label={t("repair.share")}
            value={limits.max_pct_of_pool ?? usualShare}
            least={1}
            most={100}
            error={errorUnder(wrong, "repair.limits.max_pct_of_pool")}
            onChange={(max_pct_of_pool) => onChange({ ...repair, limits: { ...limits, max_pct_of_pool } })}
          />
        )}
      </div>
      {repair.actions.length > 0 && <Preview repair={repair} policyId={policyId} />}
    </fieldset>
  );
}

/** What it would have done last week, when asked. */
function Preview({ repair, policyId }: Pick<RepairFieldsProps, "repair" | "policyId">) {
  const { t } = useTranslation("health");
  const [asked, setAsked] = useState(false);
  const text = useDryRunText();
  const run = useQuery({ ...dryRunQuery(policyId, repair), enabled: asked });
  if (!asked)
    return (
      <div>
        <Action size="bar" onClick={() => setAsked(true)}>
          {t("repair.would.ask")}
        </Action>
      </div>
    );
  return (
    <div className={classes.summary} aria-live="polite">
      {run.error ? <ProblemNote error={run.error} /> : <p>{run.data ? text(run.data) : t("repair.would.waits")}</p>}
      <p className="dim">{t(policyId ? "repair.would.ofPolicy" : "repair.would.ofAll")}</p>
    </div>
  );
}
