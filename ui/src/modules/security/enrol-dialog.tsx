import { TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { ProblemNote } from "@/components/state/problem-view";
import { useBeginTotp, useConfirmTotp, type Enrolment } from "./api";
import { CodesDialog } from "./codes-dialog";
import { PasswordForm } from "./password-form";
import { SecretCard } from "./secret-card";

interface EnrolProps {
  opened: boolean;
  onClose: () => void;
}

/** Password, secret, first code, recovery codes. */
export function EnrolDialog({ opened, onClose }: EnrolProps) {
  const { t } = useTranslation("security");
  return (
    <CodesDialog
      opened={opened}
      onClose={onClose}
      title={t("enrol.title")}
      steps={(onCodes, close) => <Enrolling onCodes={onCodes} onClose={close} />}
    />
  );
}

function Enrolling({ onCodes, onClose }: { onCodes: (codes: string[]) => void; onClose: () => void }) {
  const [enrolment, setEnrolment] = useState<Enrolment>();
  if (enrolment) return <ConfirmStep enrolment={enrolment} onCodes={onCodes} onClose={onClose} />;
  return <PasswordStep onBegun={setEnrolment} onClose={onClose} />;
}

function PasswordStep({ onBegun, onClose }: { onBegun: (enrolment: Enrolment) => void; onClose: () => void }) {
  const { t } = useTranslation("security");
  return (
    <PasswordForm
      text={t("enrol.text")}
      verb={t("enrol.next")}
      act={useBeginTotp()}
      onDone={onBegun}
      onClose={onClose}
    />
  );
}

function ConfirmStep({
  enrolment,
  onCodes,
  onClose,
}: {
  enrolment: Enrolment;
  onCodes: (codes: string[]) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation("security");
  const confirm = useConfirmTotp();
  const [code, setCode] = useState("");
  const [tried, setTried] = useState(false);
  const clean = code.replaceAll(/\s/g, "");
  const missing = !/^\d{6}$/.test(clean);
  const wrong = fieldErrors(confirm.error).code !== undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!missing && !confirm.isPending) confirm.mutate(clean, { onSuccess: onCodes });
  };
  return (
    <DialogForm onSubmit={submit}>
      <SecretCard enrolment={enrolment} />
      {confirm.error !== null && !wrong && <ProblemNote error={confirm.error} />}
      <TextInput
        size="md"
        id="first-code"
        autoFocus
        inputMode="numeric"
        autoComplete="one-time-code"
        label={t("enrol.code")}
        description={t("enrol.codeHelp")}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        error={(tried && missing && t("enrol.codeMissing")) || (wrong && t("enrol.codeWrong"))}
      />
      <DialogFoot>
        <Action size="dialog" onClick={onClose}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={confirm.isPending}>
          {t("enrol.confirm")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
