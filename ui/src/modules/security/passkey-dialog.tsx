import { TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { PasskeyTrouble } from "@/components/session/passkeys";
import { toastDone } from "@/components/state/toast";
import { deviceName } from "@/text/device-name";
import { longestPasskeyName, useAddPasskey } from "./api";
import { OwnPassword } from "./own-password";
import classes from "./security.module.css";

export function PasskeyDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("security");
  return (
    <FormModal opened={opened} onClose={onClose} title={t("addPasskey.title")}>
      {opened && <PasskeyForm onClose={onClose} />}
    </FormModal>
  );
}

function PasskeyForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("security");
  const add = useAddPasskey();
  const [proposed] = useState(() => deviceName(navigator.userAgent) ?? "");
  const [name, setName] = useState(proposed);
  const [password, setPassword] = useState("");
  const [tried, setTried] = useState(false);
  const close = useTyped((password !== "" || name !== proposed) && !add.isPending && !add.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!password || !name.trim() || add.isPending) return;
    const done = () => {
      toastDone(t("addPasskey.done", { name: name.trim() }));
      onClose();
    };
    add.mutate({ password, name: name.trim() }, { onSuccess: done });
  };
  const trouble = add.error instanceof PasskeyTrouble ? add.error.why : undefined;
  return (
    <DialogForm onSubmit={submit}>
      <p className="soft">{t("addPasskey.text")}</p>
      {trouble ? (
        <p className={classes.reason} role="alert">
          {t(`addPasskey.${trouble}`)}
        </p>
      ) : (
        <FormProblems error={add.error} fields={{ password: "own-password", name: "passkey-name" }} />
      )}
      <TextInput
        size="md"
        id="passkey-name"
        label={t("addPasskey.name")}
        description={t("addPasskey.nameHelp")}
        maxLength={longestPasskeyName}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={(tried && !name.trim() && t("addPasskey.nameMissing")) || fieldErrors(add.error).name}
      />
      <OwnPassword
        value={password}
        onChange={setPassword}
        error={
          (tried && !password && t("ownPassword.missing")) ||
          (fieldErrors(add.error).password && t("ownPassword.wrong"))
        }
      />
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={add.isPending}>
          {t("addPasskey.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
