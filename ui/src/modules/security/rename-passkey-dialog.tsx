import { TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { longestPasskeyName, useRenamePasskey, type Passkey } from "./api";

export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey | undefined; onClose: () => void }) {
  const { t } = useTranslation("security");
  return (
    <FormModal opened={passkey !== undefined} onClose={onClose} title={t("renamePasskey.title")}>
      {passkey && <RenameForm passkey={passkey} onClose={onClose} />}
    </FormModal>
  );
}

function RenameForm({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { t } = useTranslation("security");
  const rename = useRenamePasskey();
  const [name, setName] = useState(passkey.name);
  const [tried, setTried] = useState(false);
  const close = useTyped(name !== passkey.name && !rename.isPending && !rename.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!name.trim() || rename.isPending) return;
    const done = () => {
      toastDone(t("renamePasskey.done", { name: name.trim() }));
      onClose();
    };
    rename.mutate({ id: passkey.id, name: name.trim() }, { onSuccess: done });
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems error={rename.error} fields={{ name: "passkey-name" }} />
      <TextInput
        size="md"
        id="passkey-name"
        data-autofocus
        autoComplete="off"
        label={t("addPasskey.name")}
        description={t("addPasskey.nameHelp")}
        maxLength={longestPasskeyName}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={(tried && !name.trim() && t("addPasskey.nameMissing")) || fieldErrors(rename.error).name}
      />
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={rename.isPending}>
          {t("renamePasskey.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
