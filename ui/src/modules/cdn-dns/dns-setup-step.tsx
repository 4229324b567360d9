import { Checkbox, PasswordInput, TextInput } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { FormProblems } from "@/components/form/form-problems";
import { SetupBody, SetupFoot } from "@/components/layout/setup-frame";
import { Status } from "@/components/status/status";
import type { SetupStepProps } from "@/module";
import { useFirstDNS, type DNSSetupResult } from "./integrations/api";
import classes from "./cdn-dns.module.css";

const empty = { domain: "", server_ip: "", api_token: "", save_integration: true };
const ids = { domain: "dns-domain", server_ip: "dns-server", api_token: "dns-token" };

/**
 * The record of the panel's domain, or to leave it for later. When the record stands and the token could not be kept,
 * the same call again keeps it: the record is found as it is.
 */
export default function DNSSetupStep({ onDone, onBack }: SetupStepProps) {
  const { t } = useTranslation("cdn-dns");
  const [values, setValues] = useState(empty);
  const [tried, setTried] = useState(false);
  const setup = useFirstDNS();
  const result = setup.data;
  const unsaved = result?.save_error !== undefined;
  const refused = fieldErrors(setup.error);
  const set = (next: Partial<typeof empty>) => setValues((before) => ({ ...before, ...next }));
  const errorOf = (name: keyof typeof ids) => (tried && !values[name].trim() ? t("missing") : refused[name]);
  const send = () => {
    setTried(true);
    const body = { ...values, domain: values.domain.trim(), server_ip: values.server_ip.trim() };
    const first = (Object.keys(ids) as (keyof typeof ids)[]).find((name) => !values[name].trim());
    if (first) return document.getElementById(ids[first])?.focus();
    if (!setup.isPending) setup.mutate(body);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (result) onDone(result.root_domain);
    else send();
  };
  const text = (name: "domain" | "server_ip") => ({
    id: ids[name],
    size: "md",
    label: t(`setup.${name}`),
    description: t(`setup.${name}Help`),
    value: values[name],
    autoComplete: "off",
    spellCheck: false,
    disabled: result !== undefined,
    error: errorOf(name),
  });
  return (
    <SetupBody title={t("setup.title")} lead={t("setup.lead")}>
      <form className={classes.setup} onSubmit={submit} noValidate>
        <FormProblems error={setup.error} fields={ids} />
        <TextInput {...text("domain")} onChange={(event) => set({ domain: event.currentTarget.value })} />
        <TextInput {...text("server_ip")} onChange={(event) => set({ server_ip: event.currentTarget.value })} />
        <PasswordInput
          id={ids.api_token}
          size="md"
          label={t("setup.token")}
          description={t("setup.tokenHelp")}
          value={values.api_token}
          autoComplete="new-password"
          spellCheck={false}
          disabled={result !== undefined}
          error={errorOf("api_token")}
          onChange={(event) => set({ api_token: event.currentTarget.value })}
          visibilityToggleButtonProps={{ "aria-label": t("show", { name: t("setup.token") }) }}
        />
        <Checkbox
          label={t("setup.keep")}
          description={t("setup.keepHelp")}
          checked={values.save_integration}
          disabled={result !== undefined}
          onChange={(event) => set({ save_integration: event.currentTarget.checked })}
        />
        {result && <Outcome result={result} onRetry={send} busy={setup.isPending} />}
        <SetupFoot
          back={
            onBack && (
              <Action kind="ghost" size="dialog" icon={IconArrowLeft} onClick={onBack}>
                {t("setup.back")}
              </Action>
            )
          }
        >
          {!result && (
            <Action size="dialog" onClick={() => onDone(t("setup.skipped"), true)}>
              {t("setup.skip")}
            </Action>
          )}
          <Action kind="filled" size="dialog" type="submit" busy={setup.isPending}>
            {t(result ? (unsaved ? "setup.continueUnsaved" : "setup.continue") : "setup.submit")}
          </Action>
        </SetupFoot>
      </form>
    </SetupBody>
  );
}

/** Codes of the panel itself, whose sentence says all. Others have words of the service with them. */
const own = new Set(["name_taken", "revision_conflict", "internal"]);

/** What was made, what stood there already, and whether the token is kept. */
function Outcome({ result, onRetry, busy }: { result: DNSSetupResult; onRetry: () => void; busy: boolean }) {
  const { t, i18n } = useTranslation("cdn-dns");
  const fault = `setup.saveFault.${result.save_error_code}`;
  const line = ({ type, name, value }: DNSSetupResult["created"][number]) => `${name} ${type} ${value}`;
  return (
    <div className={classes.outcome} role="status">
      <Status kind="healthy">{t("setup.stands")}</Status>
      <ul className="mono">
        {result.created.map((one) => (
          <li key={line(one)}>{line(one)}</li>
        ))}
        {result.existing.map((one) => (
          <li key={line(one)}>
            {line(one)} <span className="dim">{t("setup.existing")}</span>
          </li>
        ))}
      </ul>
      {result.integration && <p>{t("setup.kept", { label: result.integration.label })}</p>}
      {result.save_error !== undefined && (
        <>
          <Status kind="degraded">{t("setup.notKept")}</Status>
          <p>{t(i18n.exists(fault, { ns: "cdn-dns" }) ? fault : "setup.saveFault.other")}</p>
          {!own.has(result.save_error_code ?? "") && (
            <p className="soft">{t("setup.serviceWords", { words: result.save_error })}</p>
          )}
          <div>
            <Action onClick={onRetry} busy={busy}>
              {t("setup.keepAgain")}
            </Action>
          </div>
        </>
      )}
    </div>
  );
}
