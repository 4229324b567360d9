import type { UseMutationResult } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { OwnPassword } from "./own-password";

interface PasswordFormProps<Answer> {
  text: string;
  verb: string;
  act: UseMutationResult<Answer, Error, string>;
  onDone: (answer: Answer) => void;
  onClose: () => void;
}

/** Asks for the person's own password before an act that it protects. */
export function PasswordForm<Answer>({ text, verb, act, onDone, onClose }: PasswordFormProps<Answer>) {
  const { t } = useTranslation("security");
  const [password, setPassword] = useState("");
  const [tried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (password && !act.isPending) act.mutate(password, { onSuccess: onDone });
  };
  return (
    <DialogForm onSubmit={submit}>
      <p className="soft">{text}</p>
      <FormProblems error={act.error} fields={{ password: "own-password" }} />
      <OwnPassword
        value={password}
        onChange={setPassword}
        error={
          (tried && !password && t("ownPassword.missing")) ||
          (fieldErrors(act.error).password && t("ownPassword.wrong"))
        }
      />
      <DialogFoot>
        <Action size="dialog" onClick={onClose}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={act.isPending}>
          {verb}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
