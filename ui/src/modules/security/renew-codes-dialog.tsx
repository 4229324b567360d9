import { Modal } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action";
import { FormProblems } from "@/components/form-problems";
import { useRenewCodes } from "./api";
import { OwnPassword } from "./own-password";
import { RecoveryCodes } from "./recovery-codes";
import classes from "./security.module.css";

/** Password, then the new codes; closing waits until they are kept. */
export function RenewCodesDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("security");
  const [codes, setCodes] = useState<string[]>();
  const close = () => {
    setCodes(undefined);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} closeOnClickOutside={false} closeOnEscape={codes === undefined} withCloseButton={codes === undefined} title={t(codes ? "codes.title" : "renew.title")}>
      {opened && (codes ? <RecoveryCodes codes={codes} onDone={close} /> : <RenewForm onCodes={setCodes} onClose={close} />)}
    </Modal>
  );
}

function RenewForm({ onCodes, onClose }: { onCodes: (codes: string[]) => void; onClose: () => void }) {
  const { t } = useTranslation("security");
  const renew = useRenewCodes();
  const [password, setPassword] = useState("");
  const [tried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (password && !renew.isPending) renew.mutate(password, { onSuccess: onCodes });
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <p className="soft">{t("renew.text")}</p>
      <FormProblems error={renew.error} fields={{ password: "own-password" }} />
      <OwnPassword value={password} onChange={setPassword} error={(tried && !password && t("ownPassword.missing")) || (fieldErrors(renew.error).password && t("ownPassword.wrong"))} />
      <div className={classes.foot}>
        <Action size="dialog" onClick={onClose}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={renew.isPending}>
          {t("renew.verb")}
        </Action>
      </div>
    </form>
  );
}
