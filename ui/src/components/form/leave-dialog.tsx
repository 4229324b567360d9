import { Modal } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Action } from "@/components/action/action";
import { DialogBody, DialogFoot } from "@/components/dialog/dialog-form";
import { leave } from "./leave";

// The question may be asked by a dialog.
const above = 250;

/** The one question before typed text is lost. It stands once, around all pages. */
export function LeaveDialog() {
  const { t } = useTranslation("app");
  const { answer } = useStore(leave);
  return (
    <Modal opened={answer !== undefined} onClose={() => answer?.(false)} title={t("save.leave")} zIndex={above}>
      <DialogBody>
        <p className="soft">{t("save.leaveText")}</p>
        <DialogFoot>
          <Action size="dialog" onClick={() => answer?.(false)} data-autofocus>
            {t("save.stay")}
          </Action>
          <Action size="dialog" kind="danger-filled" onClick={() => answer?.(true)}>
            {t("save.lose")}
          </Action>
        </DialogFoot>
      </DialogBody>
    </Modal>
  );
}
