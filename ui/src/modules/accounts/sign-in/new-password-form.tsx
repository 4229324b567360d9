import { PasswordInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { FormProblems } from "@/components/form/form-problems";
import { passwordProblem } from "@/text/password-rule";
import type { PasswordChange } from "./api";
import classes from "./sign-in.module.css";

interface NewPasswordFormProps {
  error: unknown;
  busy: boolean;
  onSubmit: (body: PasswordChange) => void;
  onLeave: () => void;
}

export function NewPasswordForm({ error, busy, onSubmit, onLeave }: NewPasswordFormProps) {
  const { t } = useTranslation(["accounts", "app"]);
  const form = useForm<PasswordChange>({
    initialValues: { current_password: "", new_password: "" },
    validate: {
      current_password: (value) => (value ? null : t("ownPassword.missing")),
      new_password: (value) => passwordProblem(value, t),
    },
  });
  const server = fieldErrors(error);
  const toggle = { "aria-label": t("signIn.show"), "aria-hidden": undefined, tabIndex: 0 };
  return (
    <form className={classes.form} noValidate onSubmit={form.onSubmit(onSubmit)}>
      <FormProblems error={error} fields={{ current_password: "current", new_password: "next" }} />
      <PasswordInput
        size="md"
        id="current"
        autoFocus
        autoComplete="current-password"
        label={t("ownPassword.current")}
        visibilityToggleButtonProps={toggle}
        {...form.getInputProps("current_password")}
        error={form.errors.current_password ?? (server.current_password && t("ownPassword.wrong"))}
      />
      <PasswordInput
        size="md"
        id="next"
        autoComplete="new-password"
        label={t("ownPassword.next")}
        description={t("app:passwordRule.rule")}
        visibilityToggleButtonProps={toggle}
        {...form.getInputProps("new_password")}
        error={form.errors.new_password ?? server.new_password}
      />
      <Action kind="filled" size="dialog" type="submit" busy={busy} className={classes.submit}>
        {t("ownPassword.submit")}
      </Action>
      <Action size="dialog" onClick={onLeave}>
        {t("ownPassword.leave")}
      </Action>
    </form>
  );
}
