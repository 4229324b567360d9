import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { isProblem } from "@/api/problem";
import { usePageTitle } from "@/components/layout/page-title";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { toastProblem } from "@/components/state/toast";
import { flowQuery, planQuery, useApply, useCompile, useRecheck } from "../shared/api";
import { ForceDialog } from "./force-dialog";
import { dropKeptPlan, keepPlan } from "./stored-plan";
import { planStanding } from "./plan-state";
import { PlanView } from "./plan-view";

/** A compiled plan: what will change, whether the servers are ready, and the apply. */
export default function PlanPage() {
  const { t } = useTranslation("flows");
  const { id = "", planId = "" } = useParams({ strict: false }) as { id?: string; planId?: string };
  const navigate = useNavigate();
  const flow = useQuery(flowQuery(id));
  const plan = useQuery(planQuery(id, planId));
  const apply = useApply(id);
  const recheck = useRecheck(id, planId);
  const compile = useCompile(id);
  const [forcing, setForcing] = useState(false);
  const install = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const edit = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  usePageTitle(plan.data && t("plan.title", { revision: plan.data.revision }), flow.data && { 1: flow.data.name });
  const failed = flow.error ?? plan.error;
  if (!flow.data || !plan.data)
    return failed ? (
      <ProblemView
        error={failed}
        tried={t("plan.failed")}
        onRetry={() => void Promise.all([flow.refetch(), plan.refetch()])}
      />
    ) : (
      <Skeleton rows={8} />
    );
  const go = (force: boolean) =>
    apply.mutate(
      { plan: plan.data, force },
      {
        onSuccess: (started) => {
          dropKeptPlan(id);
          void navigate({ to: `/flows/${id}/applies/${started.apply_id}` });
        },
        onError: (error) => {
          // The panel knows better than this page what is ready and what is outdated.
          if (
            isProblem(error, "readiness_unconfirmed") ||
            isProblem(error, "plan_stale") ||
            isProblem(error, "port_conflict")
          )
            void plan.refetch();
        },
      },
    );
  const again = () =>
    compile.mutate(undefined, {
      onSuccess: (fresh) => {
        keepPlan(id, fresh);
        void navigate({ to: `/flows/${id}/plans/${fresh.id}` });
      },
      onError: (error) => toastProblem(t("next.failed"), error),
    });
  return (
    <>
      <PlanView
        flow={flow.data}
        plan={plan.data}
        standing={planStanding(flow.data, plan.data, apply.error)}
        closed={install}
        compileClosed={edit ?? install}
        busy={{ apply: apply.isPending && !forcing, recheck: recheck.isPending, compile: compile.isPending }}
        error={forcing ? null : (apply.error ?? recheck.error)}
        onApply={() => go(false)}
        onForce={() => {
          apply.reset();
          setForcing(true);
        }}
        onRecheck={() => recheck.mutate()}
        onCompile={again}
      />
      {forcing && (
        <ForceDialog
          flow={flow.data}
          plan={plan.data}
          busy={apply.isPending}
          error={apply.error}
          onClose={() => setForcing(false)}
          onConfirm={() => go(true)}
        />
      )}
    </>
  );
}
