import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { isProblem } from "@/api/problem";
import type { ActResult } from "@/components/dialog/act-dialog";
import { usePageTitle } from "@/components/layout/page-title";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { toastProblem } from "@/components/state/toast";
import { PlacesProvider } from "../editor/editor-context";
import { CanaryDialog } from "../canary/canary-dialog";
import { flowQuery, planQuery, useApply, useCompile, useRecheck, type Flow, type Plan } from "../shared/api";
import { ForceDialog } from "./force-dialog";
import { planStatus } from "./plan-state";
import { PlanView } from "./plan-view";
import { dropKeptPlan, keepPlan } from "./stored-plan";
import { usePlanDrawings } from "./use-plan-drawings";

/** A compiled plan: what will change, whether the servers are ready, and the apply. */
export default function PlanPage() {
  const { t } = useTranslation("flows");
  const { id = "", planId = "" } = useParams({ strict: false }) as { id?: string; planId?: string };
  const flow = useQuery(flowQuery(id));
  const plan = useQuery(planQuery(id, planId));
  usePageTitle(plan.data && t("plan.title", { revision: plan.data.revision }), flow.data && { 1: flow.data.name });
  if (flow.data && plan.data)
    return <OpenPlan flow={flow.data} plan={plan.data} onOutdated={() => void plan.refetch()} />;
  const failed = flow.error ?? plan.error;
  return failed ? (
    <ProblemView
      error={failed}
      tried={t("plan.failed")}
      onRetry={() => void Promise.all([flow.refetch(), plan.refetch()])}
    />
  ) : (
    <Skeleton rows={8} />
  );
}

/** The panel knows better than this page what is ready and what is outdated. */
const outdating = [
  "readiness_unconfirmed",
  "plan_stale",
  "port_conflict",
  "domain_conflict",
  "record_conflict",
  "agent_offline",
  "stage_blocked",
  "target_suitability_stale",
];

function OpenPlan({ flow, plan, onOutdated }: { flow: Flow; plan: Plan; onOutdated: () => void }) {
  const { t } = useTranslation("flows");
  const navigate = useNavigate();
  const apply = useApply(flow.id);
  const recheck = useRecheck(flow.id, plan.id);
  const compile = useCompile(flow.id);
  const drawings = usePlanDrawings(flow, plan);
  const [forcing, setForcing] = useState(false);
  const [canary, setCanary] = useState(false);
  const install = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const edit = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const start = async (force: boolean): Promise<ActResult[]> => {
    try {
      const started = await apply.mutateAsync({ plan, force });
      dropKeptPlan(flow.id);
      void navigate({ to: `/flows/${flow.id}/applies/${started.apply_id}` });
      return [];
    } catch (error) {
      if (outdating.some((code) => isProblem(error, code))) onOutdated();
      throw error;
    }
  };
  const again = () =>
    compile.mutate(undefined, {
      onSuccess: (fresh) => {
        keepPlan(flow.id, fresh);
        void navigate({ to: `/flows/${flow.id}/plans/${fresh.id}` });
      },
      onError: (error) => toastProblem(t("next.failed"), error),
    });
  return (
    <PlacesProvider ids={plan.steps.map((step) => step.node_id)}>
      <PlanView
        flow={flow}
        plan={plan}
        drawings={drawings}
        status={planStatus(flow, plan, apply.error)}
        closed={install}
        compileClosed={edit ?? install}
        busy={{ apply: apply.isPending && !forcing, recheck: recheck.isPending, compile: compile.isPending }}
        error={forcing ? null : (apply.error ?? recheck.error)}
        onApply={() => void start(false).catch(() => undefined)}
        onForce={() => {
          apply.reset();
          setForcing(true);
        }}
        onRecheck={() => recheck.mutate()}
        onCompile={again}
        onCanary={() => setCanary(true)}
      />
      {canary && <CanaryDialog flow={flow} plan={plan} onClose={() => setCanary(false)} />}
      {forcing && (
        <ForceDialog flow={flow} plan={plan} onClose={() => setForcing(false)} onConfirm={() => start(true)} />
      )}
    </PlacesProvider>
  );
}
