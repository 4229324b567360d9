import { Textarea } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { ProblemNote } from "@/components/state/problem-view";
import classes from "./license.module.css";

interface ActivateProps {
  opened: boolean;
  onClose: () => void;
  onSubmit: (key: string) => void;
  busy: boolean;
  error: unknown;
}

export function ActivateDialog(props: ActivateProps) {
  const { t } = useTranslation("license");
  return (
    <FormModal opened={props.opened} onClose={props.onClose} title={t("activate.title")}>
      {props.opened && <ActivateForm {...props} />}
    </FormModal>
  );
}

function ActivateForm({ onSubmit, busy, error }: ActivateProps) {
  const { t } = useTranslation("license");
  const [key, setKey] = useState("");
  const [missing, setMissing] = useState(false);
  const close = useTyped(key !== "" && !busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!key.trim()) return setMissing(true);
    if (!busy) onSubmit(key.trim());
  };
  return (
    <form className={classes.dialog} onSubmit={submit} noValidate>
      <p className="soft">{t("activate.text")}</p>
      <Textarea
        data-autofocus
        autosize
        minRows={1}
        maxRows={5}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: classes.key }}
        label={t("key")}
        description={t("activate.help")}
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        error={missing && !key.trim() && t("activate.missing")}
      />
      {error !== null && <ProblemNote error={error} />}
      <div className={classes.dialogFoot}>
        <Action size="dialog" onClick={close}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={busy}>
          {t("activate.verb")}
        </Action>
      </div>
    </form>
  );
}
