import { PasswordInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { FormProblems } from "@/components/form/form-problems";
import { passwordProblem } from "@/text/password-rule";
import { SecurityHeader } from "./security-header";
import classes from "./security.module.css";

export function PasswordView({
  error,
  busy,
  onSubmit,
}: {
  error: unknown;
  busy: boolean;
  onSubmit: (current: string, next: string) => void;
}) {
  const { t } = useTranslation(["security", "app"]);
  const form = useForm({
    initialValues: { current: "", next: "" },
    validateInputOnBlur: true,
    validate: {
      current: (value) => (value ? null : t("password.currentMissing")),
      next: (value) => passwordProblem(value, t),
    },
  });
  const server = fieldErrors(error);
  const toggle = { "aria-label": t("show"), "aria-hidden": undefined, tabIndex: 0 };
  return (
    <>
      <SecurityHeader current="password" lead={t("password.lead")} />
      <Card className={classes.narrow}>
        <form
          className={classes.form}
          noValidate
          onSubmit={form.onSubmit((values) => onSubmit(values.current, values.next))}
        >
          <FormProblems error={error} fields={{ current_password: "current", new_password: "next" }} />
          <PasswordInput
            id="current"
            autoComplete="current-password"
            label={t("password.current")}
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps("current")}
            error={form.errors.current ?? (server.current_password && t("ownPassword.wrong"))}
          />
          <PasswordInput
            id="next"
            autoComplete="new-password"
            label={t("password.next")}
            description={t("app:passwordRule.rule")}
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps("next")}
            error={form.errors.next ?? server.new_password}
          />
          <div>
            <Action kind="filled" type="submit" busy={busy}>
              {t("password.submit")}
            </Action>
          </div>
        </form>
      </Card>
    </>
  );
}
