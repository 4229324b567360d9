import { useTranslation } from "react-i18next";
import { ActDialog, type ActEffect, type ActResult } from "@/components/dialog/act-dialog";
import { Glyph } from "@/components/status/glyph";
import type { Check, Flow, Plan } from "../shared/api";
import { useCheckWords } from "../shared/check-words";
import { useSaid } from "../shared/said";
import { checkGlyph } from "./checks-card";
import dialog from "../shared/dialogs.module.css";
import { openChecks } from "./plan-state";

interface ForceDialogProps {
  flow: Flow;
  plan: Plan;
  onClose: () => void;
  /** Starts the apply; what refuses it is shown in the dialog. */
  onConfirm: () => Promise<ActResult[]>;
}

/**
 * Applies although checks are not confirmed: lists them with what each may mean, failed ones apart from those that
 * nobody could confirm, names the nodes that it touches and the way back, and asks for the name.
 */
export function ForceDialog({ flow, plan, onClose, onConfirm }: ForceDialogProps) {
  const { t } = useTranslation("flows");
  const checks = openChecks(plan);
  const failed = checks.filter((check) => check.status === "failed");
  const unconfirmed = checks.filter((check) => check.status === "unconfirmed");
  const number = flow.installed_version_number;
  const counts = [
    failed.length > 0 && t("checks.count.failed", { count: failed.length }),
    unconfirmed.length > 0 && t("checks.count.unconfirmed", { count: unconfirmed.length }),
  ];
  return (
    <ActDialog
      onClose={onClose}
      title={t("force.title", { counts: counts.filter(Boolean).join(", ") })}
      effects={useEffects(flow, plan, checks.length)}
      undo={number === null ? t("force.undoFirst") : t("force.undo", { number })}
      typed={flow.name}
      verb={t("force.act")}
      danger
      run={onConfirm}
    >
      <div className={dialog.body}>
        <p>{t("force.text", { name: flow.name })}</p>
        <Checks title={t("force.failed")} checks={failed} />
        <Checks title={t("force.unconfirmed")} checks={unconfirmed} />
        <p>{t("force.stays")}</p>
      </div>
    </ActDialog>
  );
}

function Checks({ title, checks }: { title: string; checks: readonly Check[] }) {
  const { t } = useTranslation("flows");
  const words = useCheckWords();
  const said = useSaid();
  if (checks.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className="caps">{title}</h3>
      <ul className={dialog.checks}>
        {checks.map((check) => (
          <li key={check.key} className={dialog.check}>
            <Glyph kind={checkGlyph[check.status]} label={t(`checks.${check.status}`)} />
            <span>
              <span className="strong">{words(check)}</span>
              <p>{[said(check.finding), t(`force.means.${check.group}`)].filter(Boolean).join(". ")}</p>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The flow, each node with what its clients notice, and the mark that stays. */
function useEffects(flow: Flow, plan: Plan, bypassed: number): ActEffect[] {
  const { t } = useTranslation("flows");
  const number = flow.installed_version_number;
  return [
    {
      key: "flow",
      glyph: number === null ? "never" : "in-sync",
      name: flow.name,
      path: `/flows/${flow.id}`,
      text: number === null ? t("force.first") : t("force.serves", { number }),
    },
    ...plan.steps.map((step): ActEffect => ({
      key: step.node_id,
      glyph: step.interruption === "none" ? "healthy" : "degraded",
      name: step.node_name,
      path: `/nodes/${step.node_id}`,
      text: t(`interruption.effect.${step.interruption}`),
    })),
    { key: "mark", glyph: "bypassed", text: t("force.mark", { number: (number ?? 0) + 1, count: bypassed }) },
  ];
}
