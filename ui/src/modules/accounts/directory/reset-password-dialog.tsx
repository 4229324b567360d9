import { Checkbox, PasswordInput } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { CodeBlock } from "@/components/text/code-block";
import { DialogBody, DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { makePassword, passwordProblem } from "@/text/password-rule";
import classes from "./accounts.module.css";
import { useResetPassword, type Account } from "./api";

/** Sets another account's password; afterwards it is shown once to be handed over. */
export function ResetPasswordDialog({ account, onClose }: { account: Account | undefined; onClose: () => void }) {
  const { t } = useTranslation("accounts");
  return (
    <FormModal
      opened={account !== undefined}
      onClose={onClose}
      title={t("reset.title", { name: account?.username ?? "" })}
    >
      {account && <ResetForm account={account} onClose={onClose} />}
    </FormModal>
  );
}

function ResetForm({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation(["accounts", "app"]);
  const reset = useResetPassword();
  const [password, setPassword] = useState("");
  const [must, setMust] = useState(true);
  const [withoutFactor, setWithoutFactor] = useState(false);
  const [own, setOwn] = useState("");
  const [tried, setTried] = useState(false);
  const wrong = passwordProblem(password, t);
  const ownMissing = withoutFactor && !own && t("reset.ownMissing");
  const server = fieldErrors(reset.error);
  const close = useTyped(password !== "" && !reset.isPending && !reset.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (wrong || ownMissing || reset.isPending) return;
    const factor = withoutFactor ? { remove_second_factor: true, current_password: own } : {};
    reset.mutate({ id: account.id, password, must_change_password: must, ...factor });
  };
  if (reset.isSuccess) return <HandOver name={account.username} password={password} onClose={onClose} />;
  return (
    <DialogForm onSubmit={submit}>
      <p className="soft">{t("reset.text")}</p>
      <FormProblems error={reset.error} fields={{ password: "reset-password", current_password: "reset-own" }} />
      <NewPassword
        id="reset-password"
        value={password}
        onChange={setPassword}
        error={(tried && wrong) || server.password}
      />
      <Checkbox
        size="xs"
        checked={must}
        onChange={(event) => setMust(event.currentTarget.checked)}
        label={t("reset.must")}
        description={t("reset.mustHelp")}
      />
      <Checkbox
        size="xs"
        checked={withoutFactor}
        onChange={(event) => setWithoutFactor(event.currentTarget.checked)}
        label={t("reset.factor")}
        description={t("reset.factorHelp")}
      />
      {withoutFactor && (
        <PasswordInput
          size="md"
          id="reset-own"
          autoComplete="current-password"
          label={t("reset.own")}
          description={t("reset.ownHelp")}
          visibilityToggleButtonProps={{ "aria-label": t("signIn.show"), "aria-hidden": undefined, tabIndex: 0 }}
          value={own}
          onChange={(event) => setOwn(event.currentTarget.value)}
          error={(tried && ownMissing) || (server.current_password && t("reset.ownWrong"))}
        />
      )}
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={reset.isPending}>
          {t("reset.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

/** A field for somebody else's new password, with one made at random on request. */
export function NewPassword({
  id,
  value,
  onChange,
  error,
}: {
  id: string;
  value: string;
  onChange: (value: string) => void;
  error?: React.ReactNode;
}) {
  const { t } = useTranslation(["accounts", "app"]);
  const [shown, setShown] = useState(false);
  return (
    <div className={classes.password}>
      <PasswordInput
        size="md"
        id={id}
        autoComplete="new-password"
        data-autofocus
        label={t("newPassword.label")}
        description={t("app:passwordRule.rule")}
        visible={shown}
        onVisibilityChange={setShown}
        visibilityToggleButtonProps={{ "aria-label": t("signIn.show"), "aria-hidden": undefined, tabIndex: 0 }}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
      />
      <Action
        size="dialog"
        icon={IconRefresh}
        onClick={() => {
          onChange(makePassword());
          setShown(true);
        }}
      >
        {t("newPassword.make")}
      </Action>
    </div>
  );
}

function HandOver({ name, password, onClose }: { name: string; password: string; onClose: () => void }) {
  const { t } = useTranslation("accounts");
  return (
    <DialogBody>
      <p className="soft" role="status">
        {t("reset.done", { name })}
      </p>
      <CodeBlock value={password} what={t("newPassword.label")} />
      <DialogFoot>
        <Action size="dialog" kind="filled" onClick={onClose}>
          {t("done")}
        </Action>
      </DialogFoot>
    </DialogBody>
  );
}
