import { useQuery } from "@tanstack/react-query";
import { Navigate, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "@/api/session";
import { setupStateQuery } from "@/api/setup";
import { healthQuery } from "./api";
import { SignInForm } from "./sign-in-form";
import { SignInView } from "./sign-in-view";
import classes from "./sign-in.module.css";

/** Where every visitor without a session arrives; a fresh panel leads on to the first installation. */
export default function SignInPage() {
  const { t } = useTranslation("accounts");
  const navigate = useNavigate();
  const { next } = useSearch({ strict: false }) as { next?: string };
  const { token } = useSession();
  const health = useQuery(healthQuery);
  const setup = useQuery(setupStateQuery);
  const target = localPath(next);
  useEffect(() => {
    if (token !== undefined) void navigate({ to: target, replace: true });
  }, [token, target, navigate]);
  if (setup.data && !setup.data.administrator && !setup.data.finished)
    return <Navigate to="/setup" hash={window.location.hash.slice(1)} replace />;
  return (
    <SignInView
      health={health.data}
      down={health.isError}
      title={t("signIn.title")}
      lead={t("signIn.lead")}
      after={<Lost />}
    >
      <SignInForm onSignedIn={() => undefined} />
    </SignInView>
  );
}

function Lost() {
  const { t } = useTranslation("accounts");
  return (
    <p className={classes.reset}>
      {t("signIn.lost")}
      <code>sudo panelctl admin reset-password</code>
    </p>
  );
}

/** Only a path of this panel is followed after signing in. */
export function localPath(next: string | undefined): string {
  if (!next?.startsWith("/") || next.startsWith("//") || next.startsWith("/\\")) return "/";
  return next;
}
