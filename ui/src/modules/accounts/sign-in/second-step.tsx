import { TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { PasskeyTrouble, showPasskey } from "@/components/session/passkeys";
import { ProblemNote } from "@/components/state/problem-view";
import { formatCountdown } from "@/text/format";
import { useSecondFactor, type Challenge, type FactorMethod } from "./api";
import classes from "./sign-in.module.css";
import { useWait } from "./use-wait";

/** After the password: a code of the authenticator app, a recovery code or a passkey, as the account has them. */
export function SecondStep({
  challenge,
  onSignedIn,
  onBack,
}: {
  challenge: Challenge;
  onSignedIn: () => void;
  onBack: () => void;
}) {
  const { t } = useTranslation("accounts");
  const [method, setMethod] = useState<FactorMethod>(challenge.methods[0] ?? "totp");
  const second = useSecondFactor(onSignedIn);
  const [trouble, setTrouble] = useState<PasskeyTrouble["why"]>();
  const wait = useWait(second.error);
  const turn = (next: FactorMethod) => {
    second.reset();
    setTrouble(undefined);
    setMethod(next);
  };
  const passkey = async () => {
    setTrouble(undefined);
    try {
      second.mutate({ challenge: challenge.token, passkey: await showPasskey(challenge.passkeyOptions) });
    } catch (error) {
      setTrouble(error instanceof PasskeyTrouble ? error.why : "cancelled");
    }
  };
  const has = (other: FactorMethod) => other !== method && challenge.methods.includes(other);
  return (
    <div className={classes.form}>
      <div role="status">
        <p className="strong">{t("signIn.second")}</p>
        <p className="soft">{t("signIn.secondLead")}</p>
      </div>
      <FactorProblem error={second.error} trouble={trouble} wait={wait} />
      {method === "passkey" ? (
        <>
          <p className="soft">{t("signIn.passkeyText")}</p>
          <Action
            kind="filled"
            size="dialog"
            icon={IconFingerprint}
            busy={second.isPending}
            className={classes.submit}
            onClick={() => void passkey()}
            reason={wait > 0 ? t("signIn.wait", { time: formatCountdown(wait) }) : undefined}
          >
            {t("signIn.passkey")}
          </Action>
        </>
      ) : (
        <CodeForm
          key={method}
          method={method}
          busy={second.isPending}
          wait={wait}
          error={second.error}
          onSubmit={(code) =>
            second.mutate({ challenge: challenge.token, ...(method === "totp" ? { code } : { recovery_code: code }) })
          }
        />
      )}
      <div className={classes.ways}>
        {has("passkey") && (
          <Action kind="link" onClick={() => turn("passkey")}>
            {t("signIn.passkey")}
          </Action>
        )}
        {has("totp") && (
          <Action kind="link" onClick={() => turn("totp")}>
            {t("signIn.useCode")}
          </Action>
        )}
        {has("recovery_code") && (
          <Action kind="link" onClick={() => turn("recovery_code")}>
            {t("signIn.useRecovery")}
          </Action>
        )}
        <Action kind="link" onClick={onBack}>
          {t("signIn.back")}
        </Action>
      </div>
    </div>
  );
}

const digits = 6;

function CodeForm({
  method,
  busy,
  wait,
  error,
  onSubmit,
}: {
  method: "totp" | "recovery_code";
  busy: boolean;
  wait: number;
  error: unknown;
  onSubmit: (code: string) => void;
}) {
  const { t } = useTranslation("accounts");
  const [code, setCode] = useState("");
  const [tried, setTried] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (error) field.current?.select();
  }, [error]);
  const app = method === "totp";
  const clean = app ? code.replaceAll(/\s/g, "") : code.trim();
  const missing = app ? !new RegExp(`^\\d{${digits}}$`).test(clean) : clean === "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!missing && !busy && wait === 0) onSubmit(clean);
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <TextInput
        size="md"
        ref={field}
        autoFocus
        inputMode={app ? "numeric" : "text"}
        autoComplete={app ? "one-time-code" : "off"}
        autoCapitalize="none"
        spellCheck={false}
        label={t(app ? "signIn.code" : "signIn.recovery")}
        description={t(app ? "signIn.codeHelp" : "signIn.recoveryHelp")}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        error={tried && missing && t(app ? "signIn.codeMissing" : "signIn.recoveryMissing")}
      />
      <Action
        kind="filled"
        size="dialog"
        type="submit"
        busy={busy}
        className={classes.submit}
        reason={wait > 0 ? t("signIn.wait", { time: formatCountdown(wait) }) : undefined}
      >
        {wait > 0 ? t("signIn.waitShort", { time: formatCountdown(wait) }) : t("signIn.confirm")}
      </Action>
    </form>
  );
}

function FactorProblem({
  error,
  trouble,
  wait,
}: {
  error: unknown;
  trouble: PasskeyTrouble["why"] | undefined;
  wait: number;
}) {
  const { t } = useTranslation("accounts");
  if (trouble)
    return (
      <p className={classes.trouble}>
        {t(trouble === "unsupported" ? "signIn.passkeyUnsupported" : "signIn.passkeyCancelled")}
      </p>
    );
  if (!error) return null;
  if (isProblem(error, "throttled"))
    return wait > 0 ? (
      <ProblemNote error={error}>{t("signIn.throttled", { time: formatCountdown(wait) })}</ProblemNote>
    ) : null;
  if (isProblem(error, "bad_credentials")) return <ProblemNote error={error}>{t("signIn.wrongFactor")}</ProblemNote>;
  return <ProblemNote error={error} />;
}
