import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { OwnPassword } from "./own-password";
import classes from "./security.module.css";

interface ProtectedRemovalProps {
  consequences: string[];
  verb: string;
  act: { error: Error | null; isPending: boolean };
  onPassword: (password: string) => void;
  onClose: () => void;
}

/** Says what follows from taking a second factor off and asks for the person's own password first. */
export function ProtectedRemoval({ consequences, verb, act, onPassword, onClose }: ProtectedRemovalProps) {
  const { t } = useTranslation("security");
  const [password, setPassword] = useState("");
  const [tried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (password && !act.isPending) onPassword(password);
  };
  const missing = tried && !password && t("ownPassword.missing");
  const wrong = fieldErrors(act.error).password && t("ownPassword.wrong");
  return (
    <DialogForm onSubmit={submit}>
      <ul className={classes.list}>
        {consequences.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <FormProblems error={act.error} fields={{ password: "own-password" }} />
      <OwnPassword value={password} onChange={setPassword} error={missing || wrong} />
      <DialogFoot>
        <Action size="dialog" onClick={onClose}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="danger-filled" type="submit" busy={act.isPending}>
          {verb}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
