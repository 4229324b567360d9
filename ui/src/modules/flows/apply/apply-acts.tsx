import { IconEdit, IconPlayerStop, IconQrcode, IconRefresh } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action, ActionLink } from "@/components/action/action";
import { toastProblem } from "@/components/state/toast";
import { useApply, useCompile, useRestore, useSwitchFlow, type Apply, type CanaryWish, type Flow } from "../shared/api";
import { CanaryActs, isWatched } from "../canary/canary-acts";
import { keepPlan } from "../plan/stored-plan";
import { planStatus } from "../plan/plan-state";
import { canStop, goesBack } from "./apply-status";
import { StopDialog } from "./stop-dialog";

interface ApplyActsProps {
  apply: Apply;
  flow: Flow | undefined;
}

/** What can be done now: stop it, try it again, or go on. */
export function ApplyActs({ apply, flow }: ApplyActsProps) {
  const { t } = useTranslation("flows");
  const base = `/flows/${apply.flow_id}`;
  if (apply.canary && isWatched(apply)) return <CanaryActs apply={apply} canary={apply.canary} />;
  if (apply.state === "applying") return <Stop apply={apply} flow={flow} />;
  if (apply.state === "apply_failed") return <Retry apply={apply} flow={flow} />;
  if (apply.kind === "delete") return <ActionLink to="/flows">{t("apply.toFlows")}</ActionLink>;
  return (
    <>
      <ActionLink to={`${base}/versions`}>{t("apply.toVersions")}</ActionLink>
      <ActionLink kind="filled" icon={IconQrcode} to={`${base}/clients`}>
        {t("apply.toLinks")}
      </ActionLink>
    </>
  );
}

function Stop({ apply, flow }: ApplyActsProps) {
  const { t } = useTranslation("flows");
  const install = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const [asking, setAsking] = useState(false);
  const late = canStop(apply) ? undefined : t(goesBack(apply) ? "stop.goesBack" : "stop.decided");
  return (
    <>
      <Action kind="danger" icon={IconPlayerStop} reason={install ?? late} onClick={() => setAsking(true)}>
        {t("stop.act")}
      </Action>
      {asking && <StopDialog apply={apply} flow={flow} onClose={() => setAsking(false)} />}
    </>
  );
}

/** What asks for the same canary again: what was to be tried on some nodes first is not tried on all at once. */
function wishOf({ canary }: Apply): CanaryWish | undefined {
  if (!canary) return undefined;
  return { nodes: canary.nodes.map((node) => node.node_id), watch_s: canary.watch_s, probes: canary.probes };
}

/** Compiles and applies again; shows the plan where checks have to run first, or the draft is another one now. */
function Retry({ apply, flow }: ApplyActsProps) {
  const { t } = useTranslation("flows");
  const navigate = useNavigate();
  const compile = useCompile(apply.flow_id);
  const install = useApply(apply.flow_id);
  const put = useSwitchFlow();
  const restore = useRestore(apply.flow_id);
  const edit = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const closed = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const base = `/flows/${apply.flow_id}`;
  const follow = (started: Apply) => void navigate({ to: `${base}/applies/${started.apply_id}` });
  const again = async () => {
    try {
      if (apply.kind === "enable" || apply.kind === "disable")
        return follow(await put.mutateAsync({ id: apply.flow_id, on: apply.kind === "enable" }));
      if (apply.kind === "restore") return follow(await restore.mutateAsync(apply.steps[0]?.node_id ?? ""));
      const plan = await compile.mutateAsync(wishOf(apply));
      const same = flow !== undefined && plan.revision === apply.revision;
      if (same && planStatus({ ...flow, state: "applied" }, plan, null) === "ready")
        return follow(await install.mutateAsync({ plan, force: false }));
      keepPlan(apply.flow_id, plan);
      void navigate({ to: `${base}/plans/${plan.id}` });
    } catch (error) {
      toastProblem(t("retry.failed"), error);
    }
  };
  return (
    <>
      <ActionLink icon={IconEdit} to={`${base}/graph`}>
        {t("plan.openDraft")}
      </ActionLink>
      {apply.kind !== "delete" && (
        <Action
          kind="filled"
          icon={IconRefresh}
          busy={compile.isPending || install.isPending || put.isPending || restore.isPending}
          reason={apply.kind === "apply" ? (edit ?? closed) : closed}
          onClick={() => void again()}
        >
          {t(apply.kind === "apply" ? "retry.act" : "retry.plain")}
        </Action>
      )}
    </>
  );
}
