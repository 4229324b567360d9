import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { toastDone } from "@/components/state/toast";
import { useBlock } from "../header";
import { useRepairAct, type Act, type RepairAction } from "./api";
import { actText, consequenceText } from "./repair-text";

/** What a person can do about an action: let the panel do what it proposes, or not, and take back what it changed. */
export function RepairActs({ action }: { action: RepairAction }) {
  const { t } = useTranslation("health");
  const block = useBlock();
  const [open, setOpen] = useState<Act>();
  const acts = actsOn(action);
  return (
    <>
      {acts.map((act) => (
        <Action
          key={act}
          size="bar"
          {...(act === "approve" && { kind: "filled" })}
          reason={block}
          onClick={() => setOpen(act)}
        >
          {t(`repair.${act}.open`)}
        </Action>
      ))}
      {open && <ActDialog key={open} act={open} action={action} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function actsOn({ state, undoable }: RepairAction): Act[] {
  if (state === "proposed") return ["dismiss", "approve"];
  return undoable ? ["undo"] : [];
}

function ActDialog({ act, action, onClose }: { act: Act; action: RepairAction; onClose: () => void }) {
  const { t } = useTranslation("health");
  const send = useRepairAct(action.id);
  const what = { act: actText(t, action.action), node: action.node_name };
  const done = () => {
    toastDone(t(`repair.${act}.done`, what), act === "approve" ? t("repair.approve.doneText") : undefined);
    onClose();
  };
  return (
    <Confirm
      opened
      danger={false}
      onClose={onClose}
      onConfirm={() => send.mutate(act, { onSuccess: done })}
      title={t(`repair.${act}.title`, what)}
      verb={act === "approve" ? what.act : t(`repair.${act}.verb`)}
      busy={send.isPending}
      error={send.error}
    >
      <p>{consequenceText(t, act, action)}</p>
    </Confirm>
  );
}
