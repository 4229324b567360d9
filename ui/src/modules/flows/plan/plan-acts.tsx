import { IconAlertTriangle, IconLoader, IconPlayerPlay, IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action, ActionLink } from "@/components/action/action";
import type { Flow, Plan } from "../shared/api";
import { heldByProbe, openChecks, waitingChecks, type PlanStatus } from "./plan-state";

export interface PlanActsProps {
  flow: Flow;
  plan: Plan;
  status: PlanStatus;
  closed: string | undefined;
  compileClosed: string | undefined;
  busy: { apply: boolean; recheck: boolean; compile: boolean };
  onApply: () => void;
  onForce: () => void;
  onRecheck: () => void;
  onCompile: () => void;
  onCanary: () => void;
}

/** The next safe step stands filled; force is offered only where it can help, and only after the checks have run. */
export function PlanActs(props: PlanActsProps) {
  const { flow, plan, status, closed, compileClosed, busy, onApply, onForce, onCompile, onCanary } = props;
  const { t } = useTranslation("flows");
  switch (status) {
    case "ready":
      return (
        <>
          {plan.canary === null && plan.steps.some((step) => step.action === "configure") && (
            <Action reason={compileClosed} onClick={onCanary}>
              {t("canary.first")}
            </Action>
          )}
          <Action kind="filled" icon={IconPlayerPlay} busy={busy.apply} reason={closed} onClick={onApply}>
            {t("plan.apply")}
          </Action>
        </>
      );
    case "checking":
      return (
        <Action kind="filled" icon={IconLoader} reason={t("plan.checkingWhy")}>
          {t("plan.checking", { count: waitingChecks(plan).length })}
        </Action>
      );
    case "unconfirmed":
      return (
        <>
          <Action icon={IconAlertTriangle} reason={closed} onClick={onForce}>
            {t("plan.applyAnyway")}
          </Action>
          <Recheck {...props} filled />
        </>
      );
    case "blocked":
      return openChecks(plan).length > 0 ? <Recheck {...props} filled /> : <OpenDraft flow={flow} />;
    case "conflict":
      return (
        <>
          {heldByProbe(plan) && <Recheck {...props} />}
          <OpenDraft flow={flow} />
        </>
      );
    case "applying":
      return flow.last_apply_id ? (
        <ActionLink kind="filled" to={`/flows/${flow.id}/applies/${flow.last_apply_id}`}>
          {t("next.applying")}
        </ActionLink>
      ) : null;
    case "errors":
    case "noop":
    case "applied":
      return <OpenDraft flow={flow} />;
    default:
      return (
        <Action kind="filled" icon={IconRefresh} busy={busy.compile} reason={compileClosed} onClick={onCompile}>
          {t("plan.compileAgain")}
        </Action>
      );
  }
}

function Recheck({ plan, busy, compileClosed, onRecheck, filled }: PlanActsProps & { filled?: boolean }) {
  const { t } = useTranslation("flows");
  return (
    <Action
      kind={filled ? "filled" : "default"}
      icon={IconRefresh}
      busy={busy.recheck}
      reason={compileClosed}
      onClick={onRecheck}
    >
      {t("plan.recheck", { count: openChecks(plan).length })}
    </Action>
  );
}

function OpenDraft({ flow }: { flow: Flow }) {
  const { t } = useTranslation("flows");
  return (
    <ActionLink kind="filled" to={`/flows/${flow.id}/graph`}>
      {t("plan.openDraft")}
    </ActionLink>
  );
}
