import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ActDialog, type ActEffect } from "@/components/dialog/act-dialog";
import { keepPlan } from "../plan/stored-plan";
import { useCompile, type Flow } from "../shared/api";

/** Compiling from outside the editor: what it makes, that nothing is installed by it, and on to the plan. */
export function CompileDialog({ flow, onClose }: { flow: Flow; onClose: () => void }) {
  const { t } = useTranslation("flows");
  const navigate = useNavigate();
  const compile = useCompile(flow.id);
  const serving: ActEffect = {
    key: "serving",
    glyph: flow.installed_version_number === null ? "never" : "in-sync",
    name: flow.name,
    path: `/flows/${flow.id}`,
    text:
      flow.installed_version_number === null
        ? t("palette.compileFirst")
        : t("palette.compileServing", { number: flow.installed_version_number }),
  };
  return (
    <ActDialog
      onClose={onClose}
      title={t("palette.compileTitle", { name: flow.name })}
      verb={t("next.compile")}
      effects={[serving]}
      undo={t("palette.compileUndo")}
      run={async () => {
        const plan = await compile.mutateAsync();
        keepPlan(flow.id, plan);
        onClose();
        void navigate({ to: `/flows/${flow.id}/plans/${plan.id}` });
        return [];
      }}
    >
      {t("palette.compileText", { revision: flow.draft_revision })}
    </ActDialog>
  );
}
