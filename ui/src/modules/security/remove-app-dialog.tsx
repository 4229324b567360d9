import { Modal } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action";
import { DialogFoot, DialogForm } from "@/components/dialog-form";
import { FormProblems } from "@/components/form-problems";
import { toastDone } from "@/components/toast";
import { useRemoveTotp } from "./api";
import { OwnPassword } from "./own-password";
import classes from "./security.module.css";

export function RemoveAppDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("security");
  return (
    <Modal opened={opened} onClose={onClose} title={t("remove.title")}>
      {opened && <RemoveForm onClose={onClose} />}
    </Modal>
  );
}

function RemoveForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("security");
  const remove = useRemoveTotp();
  const [password, setPassword] = useState("");
  const [tried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!password || remove.isPending) return;
    const done = () => {
      toastDone(t("remove.done"));
      onClose();
    };
    remove.mutate(password, { onSuccess: done });
  };
  return (
    <DialogForm onSubmit={submit}>
      <ul className={classes.list}>
        <li>{t("remove.password")}</li>
        <li>{t("remove.codes")}</li>
      </ul>
      <FormProblems error={remove.error} fields={{ password: "own-password" }} />
      <OwnPassword value={password} onChange={setPassword} error={(tried && !password && t("ownPassword.missing")) || (fieldErrors(remove.error).password && t("ownPassword.wrong"))} />
      <DialogFoot>
        <Action size="dialog" onClick={onClose}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="danger-filled" type="submit" busy={remove.isPending}>
          {t("remove.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
