import { Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { fieldErrors } from "@/api/problem";
import { Action, ActionLink } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { FormProblems } from "@/components/form/form-problems";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import { useLeaveGuard } from "@/components/form/use-leave-guard";
import { passwordProblem } from "@/text/password-rule";
import classes from "./accounts.module.css";
import { catalogueQuery, useCreateAccount } from "./api";
import { PermissionList } from "../permissions/permission-list";
import { NewPassword } from "./reset-password-dialog";
import { isUsername } from "./username-rule";

export default function NewAccountPage() {
  const { t } = useTranslation(["accounts", "app"]);
  const navigate = useNavigate();
  const catalogue = useQuery(catalogueQuery);
  const block = useWriteBlock({ needs: "accounts.manage" });
  const create = useCreateAccount();
  const [held, setHeld] = useState<string[]>([]);
  const [tried, setTried] = useState(false);
  const form = useForm({
    initialValues: { username: "", password: "", must: true },
    validateInputOnBlur: true,
    validate: {
      username: (value) => (isUsername(value.trim()) ? null : t("new.usernameRule")),
      password: (value) => passwordProblem(value, t),
    },
  });
  useLeaveGuard((form.isDirty() || held.length > 0) && !create.isPending && !create.isSuccess);
  const server = fieldErrors(create.error);
  // Nothing is wrong before something was typed: the field is left and entered while the page is still coming.
  const usernameError = form.isDirty("username") || tried ? form.errors.username : undefined;
  const submit = form.onSubmit((values) => {
    if (block !== undefined) return;
    // The keys are always sent: without them the account would get full access.
    const body = {
      username: values.username.trim(),
      password: values.password,
      permissions: held,
      must_change_password: values.must,
    };
    create.mutate(body, {
      onSuccess: (account) => {
        toastDone(t("new.done", { name: account.username }));
        void navigate({ to: "/accounts/$id", params: { id: account.id } });
      },
    });
  });
  return (
    <form
      onSubmit={(event) => {
        setTried(true);
        submit(event);
      }}
      noValidate
    >
      <PageHeader
        title={t("new.title")}
        meta={t("new.lead")}
        closed={block}
        actions={
          <>
            <ActionLink to="/accounts">{t("cancel")}</ActionLink>
            <Action kind="filled" type="submit" busy={create.isPending} reason={block}>
              {t("new.submit")}
            </Action>
          </>
        }
      />
      <div className={classes.columns} data-narrow-first>
        <div className={classes.stack}>
          {create.error !== null && (
            <FormProblems error={create.error} fields={{ username: "username", password: "new-password" }} />
          )}
          <Card title={t("new.who")}>
            <div className={classes.form}>
              <TextInput
                size="md"
                id="username"
                autoFocus
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                label={t("columns.name")}
                {...form.getInputProps("username")}
                description={usernameError ? undefined : t("new.usernameHelp")}
                error={usernameError ?? server.username}
              />
              <NewPassword
                id="new-password"
                value={form.values.password}
                onChange={(value) => form.setFieldValue("password", value)}
                error={form.errors.password ?? server.password}
              />
              <Switch
                label={t("new.must")}
                description={t("new.mustHelp")}
                {...form.getInputProps("must", { type: "checkbox" })}
              />
            </div>
          </Card>
        </div>
        {catalogue.data ? (
          <PermissionList catalogue={catalogue.data} held={held} before={[]} onChange={setHeld} reason={block} />
        ) : catalogue.error ? (
          <ProblemView error={catalogue.error} onRetry={() => void catalogue.refetch()} />
        ) : (
          <Skeleton rows={8} />
        )}
      </div>
    </form>
  );
}
