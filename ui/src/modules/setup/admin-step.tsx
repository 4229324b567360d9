import { PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { IconArrowLeft } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { setupStateQuery } from "@/api/setup";
import { Action } from "@/components/action/action";
import { FormProblems } from "@/components/form/form-problems";
import { SetupBody, SetupFoot } from "@/components/layout/setup-frame";
import type { SetupStepProps } from "@/module";
import { useCreateAdministrator } from "./api";
import classes from "./setup.module.css";

const usernameRule = /^[\p{L}\p{N}._@-]{3,64}$/u;

export default function AdminStep({ onDone, onBack }: SetupStepProps) {
  const { t } = useTranslation("setup");
  const create = useCreateAdministrator();
  const [secret] = useState(takeSecret);
  const tokenRequired = useQuery(setupStateQuery).data?.setup_token_required === true;
  const form = useForm({
    initialValues: { username: "", password: "", setup_token: secret },
    validateInputOnBlur: true,
    validate: {
      username: (value) => (usernameRule.test(value.trim()) ? null : t("admin.usernameRule")),
      password: (value) => ([...value].length >= 8 && [...value].length <= 128 ? null : t("admin.passwordRule")),
    },
  });
  const server = fieldErrors(create.error);
  const submit = form.onSubmit((values) => {
    const body = {
      username: values.username.trim(),
      password: values.password,
      ...(values.setup_token ? { setup_token: values.setup_token.trim() } : {}),
    };
    create.mutate(body, { onSuccess: () => onDone(body.username) });
  });
  return (
    <SetupBody title={t("admin.title")} lead={t("admin.lead")}>
      <form className={classes.form} onSubmit={submit} noValidate>
        <FormProblems error={create.error} fields={{ username: "username", password: "password" }} />
        <TextInput
          size="md"
          id="username"
          autoFocus
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          label={t("admin.username")}
          {...form.getInputProps("username")}
          description={form.errors.username ? undefined : t("admin.usernameHelp")}
          error={form.errors.username ?? server.username}
        />
        <PasswordInput
          size="md"
          id="password"
          autoComplete="new-password"
          label={t("admin.password")}
          description={form.errors.password ? undefined : t("admin.passwordHelp")}
          visibilityToggleButtonProps={{ "aria-label": t("admin.show"), "aria-hidden": undefined, tabIndex: 0 }}
          {...form.getInputProps("password")}
          error={form.errors.password ?? server.password}
        />
        {tokenRequired && !secret && (
          <TextInput
            size="md"
            autoComplete="off"
            label={t("admin.token")}
            description={t("admin.tokenHelp")}
            {...form.getInputProps("setup_token")}
            error={server.setup_token}
          />
        )}
        <SetupFoot
          back={
            onBack && (
              <Action kind="ghost" size="dialog" icon={IconArrowLeft} onClick={onBack}>
                {t("back")}
              </Action>
            )
          }
        >
          <Action kind="filled" size="dialog" type="submit" busy={create.isPending}>
            {t("admin.submit")}
          </Action>
        </SetupFoot>
      </form>
    </SetupBody>
  );
}

/** The set-up link carries its secret behind the #, which is never sent anywhere; it leaves the address bar at once. */
function takeSecret(): string {
  const fragment = window.location.hash.slice(1);
  if (!fragment) return "";
  window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  return new URLSearchParams(fragment).get("token") ?? decodeURIComponent(fragment);
}
