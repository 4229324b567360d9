import { Modal, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { useClosing } from "@/components/form/use-closing";
import { ProblemNote } from "@/components/state/problem-view";
import { useSwitch } from "./api";

/** Says what stops and what does not, and asks why. */
export function StopDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("automation");
  const [reason, setReason] = useState("");
  const [missing, setMissing] = useState(false);
  const act = useSwitch();
  const close = useClosing(reason !== "", onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() === "") setMissing(true);
    else act.mutate(reason.trim(), { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={close} title={t("dialog.title")}>
      <DialogForm onSubmit={submit}>
        <p className="soft">{t("dialog.what")}</p>
        <p className="soft">{t("dialog.goesOn")}</p>
        <TextInput
          size="md"
          label={t("dialog.reason")}
          description={t("dialog.reasonHelp")}
          maxLength={300}
          data-autofocus
          value={reason}
          error={missing && reason.trim() === "" ? t("dialog.reasonMissing") : undefined}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {act.isError && <ProblemNote error={act.error} />}
        <DialogFoot>
          <Action onClick={close}>{t("dialog.cancel")}</Action>
          <Action kind="danger" type="submit" busy={act.isPending}>
            {t("stop")}
          </Action>
        </DialogFoot>
      </DialogForm>
    </Modal>
  );
}
