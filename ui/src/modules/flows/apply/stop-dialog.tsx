import { useTranslation } from "react-i18next";
import { ActDialog, type ActEffect } from "@/components/dialog/act-dialog";
import { useStopApply, type Apply, type ApplyStep, type Flow } from "../shared/api";

interface StopDialogProps {
  apply: Apply;
  flow: Flow | undefined;
  onClose: () => void;
}

/** Before an apply is stopped: which nodes go back and which have changed nothing, and what serves meanwhile. */
export function StopDialog({ apply, flow, onClose }: StopDialogProps) {
  const { t } = useTranslation("flows");
  const stop = useStopApply(apply.flow_id, apply.apply_id);
  const number = flow?.installed_version_number;
  const effects: ActEffect[] = apply.steps.map((step) => ({
    key: step.node_id,
    glyph: hasSwitched(step) ? "degraded" : "no-data",
    name: step.node_name,
    path: `/nodes/${step.node_id}`,
    text: t(hasSwitched(step) ? "stop.returns" : "stop.untouched"),
  }));
  effects.unshift({
    key: "flow",
    glyph: number ? "in-sync" : "never",
    name: flow?.name,
    path: `/flows/${apply.flow_id}`,
    text: number ? t("stop.serves", { number }) : t("stop.servesNothing"),
  });
  return (
    <ActDialog
      onClose={onClose}
      title={t("stop.title")}
      effects={effects}
      undo={t("stop.undo")}
      verb={t("stop.act")}
      danger
      run={() =>
        stop.mutateAsync().then(() => {
          onClose();
          return [];
        })
      }
    >
      {t("stop.what")}
    </ActDialog>
  );
}

function hasSwitched(step: ApplyStep): boolean {
  return step.stages.some(({ stage, state }) => stage === "switch" && state !== "pending" && state !== "skipped");
}
