import { PasswordInput, TextInput } from "@mantine/core";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { asProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { ProblemNote } from "@/components/state/problem-view";
import { formatCountdown } from "@/text/format";
import { secondFactorChallenge, useSignIn } from "./api";
import { SecondStep } from "./second-step";
import classes from "./sign-in.module.css";
import { useWait } from "./use-wait";

interface SignInFormProps {
  /** Who signs in again; nobody else can then. */
  username?: string;
  onSignedIn: () => void;
}

/** Username and password, then the second step where the account has one. */
export function SignInForm({ username, onSignedIn }: SignInFormProps) {
  const signIn = useSignIn(onSignedIn);
  const challenge = secondFactorChallenge(signIn.error);
  if (challenge !== undefined)
    return <SecondStep challenge={challenge} onSignedIn={onSignedIn} onBack={signIn.reset} />;
  return <FirstStep given={username} error={signIn.error} busy={signIn.isPending} onSubmit={signIn.mutate} />;
}

function FirstStep({
  given,
  error,
  busy,
  onSubmit,
}: {
  given: string | undefined;
  error: unknown;
  busy: boolean;
  onSubmit: (body: { username: string; password: string }) => void;
}) {
  const { t } = useTranslation("accounts");
  const [username, setUsername] = useState(given ?? "");
  const [password, setPassword] = useState("");
  const [missing, setMissing] = useState(false);
  const passwordField = useRef<HTMLInputElement>(null);
  const wait = useWait(error);
  useEffect(() => {
    if (error) passwordField.current?.select();
  }, [error]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(true);
    if (username && password && !busy && wait === 0) onSubmit({ username, password });
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <SignInProblem error={error} wait={wait} />
      <TextInput
        size="md"
        id="username"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={given === undefined}
        readOnly={given !== undefined}
        label={t("signIn.username")}
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
        error={missing && !username && t("signIn.usernameMissing")}
      />
      <PasswordInput
        size="md"
        id="password"
        name="password"
        autoComplete="current-password"
        ref={passwordField}
        autoFocus={given !== undefined}
        label={t("signIn.password")}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={missing && !password && t("signIn.passwordMissing")}
        visibilityToggleButtonProps={{ "aria-label": t("signIn.show"), "aria-hidden": undefined, tabIndex: 0 }}
      />
      <Action
        kind="filled"
        size="dialog"
        type="submit"
        busy={busy}
        className={classes.submit}
        reason={wait > 0 ? t("signIn.wait", { time: formatCountdown(wait) }) : undefined}
      >
        {wait > 0 ? t("signIn.waitShort", { time: formatCountdown(wait) }) : t("signIn.submit")}
      </Action>
    </form>
  );
}

function SignInProblem({ error, wait }: { error: unknown; wait: number }) {
  const { t } = useTranslation("accounts");
  if (!error) return null;
  const problem = asProblem(error);
  if (problem.code === "throttled")
    return wait > 0 ? (
      <ProblemNote error={problem}>{t("signIn.throttled", { time: formatCountdown(wait) })}</ProblemNote>
    ) : null;
  return <ProblemNote error={problem} />;
}
