import { Modal, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { useClosing } from "@/components/form/use-closing";

interface NameVersionProps {
  title: string;
  note?: string;
  onClose: () => void;
  /** Saves the name, which may be empty. */
  onSave: (note: string) => Promise<unknown>;
}

/** Asks what a version is to be called in the time line. */
export function NameVersion({ title, note: before = "", onClose, onSave }: NameVersionProps) {
  const { t } = useTranslation("flows");
  const [note, setNote] = useState(before);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const close = useClosing(note !== before && !busy, onClose);
  const save = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onSave(note.trim());
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={close} title={title}>
      <DialogForm
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <FormProblems error={error} fields={{ "body.note": "version-note" }} />
        <TextInput
          id="version-note"
          size="md"
          label={t("versions.note")}
          description={t("versions.noteHelp")}
          value={note}
          maxLength={500}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <DialogFoot>
          <Action size="dialog" onClick={close}>
            {t("cancel")}
          </Action>
          <Action size="dialog" kind="filled" type="submit" busy={busy}>
            {t("versions.save")}
          </Action>
        </DialogFoot>
      </DialogForm>
    </Modal>
  );
}
