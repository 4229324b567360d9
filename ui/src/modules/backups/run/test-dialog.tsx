import { Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogBody, DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { ProblemNote } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { useFormat } from "@/text/use-format";
import { restoreQuery, useStartTest, type Keys, type Profile, type Run } from "../shared/api";
import { givenKeys, KeyFields, noKeys } from "./key-fields";
import { TestOutcome } from "./tests-card";

interface TestDialogProps {
  run: Run;
  /** How backups of the profile are encrypted now; undefined while it is not known. */
  encryption: Profile["encryption"]["mode"] | undefined;
  onClose: () => void;
}

/** Begins a restore test of a backup, with the keys that the panel does not have, and follows it to its verdict. */
export function TestDialog({ run, encryption, onClose }: TestDialogProps) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const start = useStartTest();
  const title = t("test.dialogTitle", { moment: format.moment(run.created_at) });
  return (
    <Modal opened onClose={onClose} title={title}>
      {start.data ? (
        <Course id={start.data.id} onClose={onClose} />
      ) : (
        <Question
          encryption={encryption}
          busy={start.isPending}
          error={start.error}
          onClose={onClose}
          onStart={(keys) => start.mutate({ run_id: run.id, ...(Object.keys(keys).length > 0 && { keys }) })}
        />
      )}
    </Modal>
  );
}

interface QuestionProps {
  encryption: TestDialogProps["encryption"];
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onStart: (keys: Keys) => void;
}

function Question({ encryption, busy, error, onClose, onStart }: QuestionProps) {
  const { t } = useTranslation("backups");
  const [keys, setKeys] = useState(noKeys);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onStart(givenKeys(keys));
  };
  const missing = encryption === "age" && !keys.identity.trim() ? t("keys.identityFirst") : undefined;
  return (
    <DialogForm onSubmit={submit}>
      <p className="soft">{t("test.text")}</p>
      {error !== null && <ProblemNote error={error} />}
      <KeyFields
        encryption={encryption}
        mismatch={isProblem(error, "restore_key_mismatch")}
        keys={keys}
        onChange={(next) => setKeys((before) => ({ ...before, ...next }))}
      />
      <DialogFoot>
        <Action size="dialog" onClick={onClose}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={busy} reason={missing} data-autofocus>
          {t("test.start")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

function Course({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation("backups");
  const restore = useQuery(restoreQuery(id));
  return (
    <DialogBody>
      {restore.error && <ProblemNote error={restore.error} />}
      {restore.data ? <TestOutcome restore={restore.data} /> : <Skeleton rows={2} />}
      {restore.data?.finished_at === null && <p className="soft">{t("test.goesOnText")}</p>}
      <DialogFoot>
        <Action size="dialog" kind="filled" onClick={onClose} data-autofocus>
          {t("close")}
        </Action>
      </DialogFoot>
    </DialogBody>
  );
}
