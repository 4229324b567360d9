import { TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { useChangeAccount, type Account } from "./api";
import { isUsername } from "./username-rule";

export function RenameDialog({ account, onClose }: { account: Account | undefined; onClose: () => void }) {
  const { t } = useTranslation("accounts");
  return (
    <FormModal
      opened={account !== undefined}
      onClose={onClose}
      title={t("rename.title", { name: account?.username ?? "" })}
    >
      {account && <RenameForm account={account} onClose={onClose} />}
    </FormModal>
  );
}

function RenameForm({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation("accounts");
  const change = useChangeAccount();
  const [name, setName] = useState(account.username);
  const [tried, setTried] = useState(false);
  const wrong = !isUsername(name.trim());
  const close = useTyped(name !== account.username && !change.isPending && !change.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (wrong || change.isPending) return;
    const done = () => {
      toastDone(t("rename.done", { name: name.trim() }));
      onClose();
    };
    change.mutate({ id: account.id, revision: account.revision, username: name.trim() }, { onSuccess: done });
  };
  return (
    <DialogForm onSubmit={submit}>
      <p className="soft">{t("rename.text")}</p>
      <FormProblems error={change.error} fields={{ username: "new-name" }} />
      <TextInput
        size="md"
        id="new-name"
        data-autofocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        label={t("columns.name")}
        description={t("new.usernameHelp")}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={(tried && wrong && t("new.usernameRule")) || fieldErrors(change.error).username}
      />
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={change.isPending}>
          {t("rename.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
