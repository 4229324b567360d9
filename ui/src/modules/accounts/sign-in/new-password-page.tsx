import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { meQuery, useAccess } from "@/api/access";
import { useSession } from "@/api/session";
import { Onward } from "@/components/action/onward";
import { toastDone } from "@/components/state/toast";
import { healthQuery, useOwnPassword, useSignOut } from "./api";
import { NewPasswordForm } from "./new-password-form";
import { localPath } from "./sign-in-page";
import { SignInView } from "./sign-in-view";

/** Where an account is led that has to choose a password of its own; nothing else is open to it. */
export default function NewPasswordPage() {
  const { t } = useTranslation("accounts");
  const { next } = useSearch({ strict: false }) as { next?: string };
  const queries = useQueryClient();
  const { token, ended } = useSession();
  const { account } = useAccess();
  const health = useQuery(healthQuery);
  const change = useOwnPassword();
  const signOut = useSignOut();
  if (token === undefined || ended) return <Onward to="/login" />;
  if (account && !account.must_change_password) return <Onward to={localPath(next)} />;
  const done = async () => {
    toastDone(t("ownPassword.done"));
    await queries.fetchQuery({ ...meQuery, staleTime: 0 });
    void queries.invalidateQueries();
  };
  return (
    <SignInView health={health.data} down={health.isError} title={t("ownPassword.title")} lead={t("ownPassword.lead")}>
      <NewPasswordForm
        error={change.error}
        busy={change.isPending}
        onSubmit={(body) => change.mutate(body, { onSuccess: () => void done() })}
        onLeave={() => signOut.mutate()}
      />
    </SignInView>
  );
}
