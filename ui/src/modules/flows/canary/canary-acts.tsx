import { IconPlayerStop, IconPlayerTrackNext } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { ActDialog, type ActEffect } from "@/components/dialog/act-dialog";
import { useCanaryAct, type Apply, type Canary } from "../shared/api";

/** Whether a canary is being watched, so that a person may decide it. */
export const isWatched = ({ phase, canary }: Apply) => phase === "canary" && canary?.state === "watching";

/** What a person may decide while a canary is watched: its end is open also in read-only mode. */
export function CanaryActs({ apply, canary }: { apply: Apply; canary: Canary }) {
  const { t } = useTranslation("flows");
  const rule = { needs: "connection_units.apply", feature: "flows" } as const;
  const promote = useWriteBlock(rule);
  const abort = useWriteBlock({ ...rule, whileReadOnly: true });
  const [asking, setAsking] = useState<"promote" | "abort">();
  const decided = apply.stopped_by || apply.promoted_by ? t("canary.decided") : undefined;
  return (
    <>
      <Action kind="danger" icon={IconPlayerStop} reason={abort ?? decided} onClick={() => setAsking("abort")}>
        {t("canary.abort.act")}
      </Action>
      <Action icon={IconPlayerTrackNext} reason={promote ?? decided} onClick={() => setAsking("promote")}>
        {t("canary.promote.act")}
      </Action>
      {asking && <Decide apply={apply} canary={canary} act={asking} onClose={() => setAsking(undefined)} />}
    </>
  );
}

interface DecideProps {
  apply: Apply;
  canary: Canary;
  act: "promote" | "abort";
  onClose: () => void;
}

/** Before a canary is decided by hand: what becomes of each node. */
function Decide({ apply, canary, act, onClose }: DecideProps) {
  const { t } = useTranslation("flows");
  const decide = useCanaryAct(apply.flow_id, apply.apply_id, act);
  const hit = apply.steps.filter((step) => step.canary === (act === "abort"));
  const effects: ActEffect[] = hit.map((step) => ({
    key: step.node_id,
    glyph: act === "abort" ? "drifted" : "applying",
    name: step.node_name,
    path: `/nodes/${step.node_id}`,
    text: t(`canary.${act}.effect`),
  }));
  return (
    <ActDialog
      onClose={onClose}
      title={t(`canary.${act}.title`)}
      verb={t(`canary.${act}.act`)}
      effects={effects}
      undo={t(`canary.${act}.undo`)}
      danger={act === "abort"}
      run={() =>
        decide.mutateAsync().then(() => {
          onClose();
          return [];
        })
      }
    >
      {t(`canary.${act}.what`, { count: canary.rest })}
    </ActDialog>
  );
}
