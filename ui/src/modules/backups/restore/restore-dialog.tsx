import { Modal, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { ProblemNote } from "@/components/state/problem-view";
import { useFormat } from "@/text/use-format";
import classes from "../backups.module.css";
import { givenKeys, KeyFields, noKeys } from "../run/key-fields";
import { useStartRestore, type Profile, type Run } from "../shared/api";

interface RestoreDialogProps {
  run: Run;
  encryption: Profile["encryption"]["mode"] | undefined;
  onClose: () => void;
}

/** Replaces the panel by a backup, once the name of its profile was typed; then the page of the restore takes over. */
export function RestoreDialog({ run, encryption, onClose }: RestoreDialogProps) {
  const { t } = useTranslation("backups");
  const { t: app } = useTranslation("app");
  const format = useFormat();
  const navigate = useNavigate();
  const start = useStartRestore();
  const [word, setWord] = useState("");
  const [keys, setKeys] = useState(noKeys);
  const name = run.profile_name;
  const unnamed = word === name ? undefined : app("confirm.waits", { word: name });
  const missing = encryption === "age" && !keys.identity.trim() ? t("keys.identityFirst") : unnamed;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = givenKeys(keys);
    start.mutate(
      { run_id: run.id, confirm: word, ...(Object.keys(given).length > 0 && { keys: given }) },
      { onSuccess: ({ id }) => void navigate({ to: "/backups/restoring/$id", params: { id } }) },
    );
  };
  return (
    <Modal opened onClose={onClose} title={t("full.dialogTitle", { moment: format.moment(run.created_at) })} size="lg">
      <DialogForm onSubmit={submit}>
        <p className="soft">{t("full.dialogText")}</p>
        <ul className={classes.report}>
          {(["saved", "lost", "away", "sessions", "agents", "work"] as const).map((item) => (
            <li key={item}>{t(`full.follows.${item}`)}</li>
          ))}
        </ul>
        {start.error !== null && <ProblemNote error={start.error} />}
        <KeyFields
          encryption={encryption}
          mismatch={isProblem(start.error, "restore_key_mismatch")}
          keys={keys}
          onChange={(next) => setKeys((before) => ({ ...before, ...next }))}
        />
        <TextInput
          label={t("full.type", { word: name })}
          value={word}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          onChange={(event) => setWord(event.currentTarget.value)}
        />
        <DialogFoot>
          <Action size="dialog" onClick={onClose}>
            {t("cancel")}
          </Action>
          <Action size="dialog" kind="danger-filled" type="submit" busy={start.isPending} reason={missing}>
            {t("full.start")}
          </Action>
        </DialogFoot>
      </DialogForm>
    </Modal>
  );
}
