import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { toastProblem } from "@/components/state/toast";
import { useCompile } from "../shared/api";
import { keepPlan } from "./stored-plan";

/** Compiles the draft into a plan and leads to it; `before` ends what has to be saved first. */
export function useCompileNow(flowId: string, before?: () => Promise<unknown>) {
  const { t } = useTranslation("flows");
  const navigate = useNavigate();
  const compile = useCompile(flowId);
  // Compiling makes a plan that can be applied, so it needs both keys.
  const edit = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const install = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const start = async () => {
    try {
      await before?.();
      const plan = await compile.mutateAsync();
      keepPlan(flowId, plan);
      void navigate({ to: `/flows/${flowId}/plans/${plan.id}` });
    } catch (error) {
      toastProblem(t("next.failed"), error);
    }
  };
  return { start: () => void start(), busy: compile.isPending, blocked: edit ?? install };
}
