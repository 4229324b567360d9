import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Card, Row, Rows } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState, type ViewState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import { securityQuery, type Security } from "./api";
import { SettingRows, type Setting } from "./setting-rows";
import classes from "./settings.module.css";
import { warningsOf, type Warning } from "./warnings";

export default function SecuritySection() {
  return <SecurityView state={viewState(useQuery(securityQuery))} />;
}

/** Security settings of the running panel. Nothing is changed here: each value names the variable that sets it. */
export function SecurityView({ state }: { state: ViewState<Security> }) {
  const { t } = useTranslation("settings");
  return (
    <>
      <p className="soft">{t("lead")}</p>
      {state.kind === "loading" && <Skeleton rows={10} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} />}
      {state.kind === "ready" && (
        <div className={classes.stack}>
          <Warnings list={warningsOf(state.data)} />
          <AddressCard security={state.data} />
          <SignInCard security={state.data} />
          <SecretsCard security={state.data} />
        </div>
      )}
    </>
  );
}

function Warnings({ list }: { list: Warning[] }) {
  const { t } = useTranslation("settings");
  if (list.length === 0) return null;
  return (
    <Card title={t("warnings.title")} aside={list.length} flush>
      <Rows label={t("warnings.title")}>
        {list.map((warning) => (
          <Row key={warning} className={classes.warning}>
            <Glyph kind={warning === "unreadable" ? "down" : "degraded"} label={t("warnings.label")} />
            <div className={classes.words}>
              <span className="strong">{t(`warning.${warning}.title`)}</span>
              <span className="soft">{t(`warning.${warning}.text`)}</span>
            </div>
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

function AddressCard({ security: { public_url: address, trusted_proxies: proxies } }: { security: Security }) {
  const { t } = useTranslation("settings");
  return (
    <Card title={t("address.title")} flush>
      <SettingRows
        settings={[
          {
            ...address,
            name: t("address.public"),
            value: address.given ? <span className="mono">{address.origin}</span> : t("address.none"),
          },
          {
            name: t("address.tls"),
            value: address.https ? (
              <Status kind="healthy">{t("address.https")}</Status>
            ) : (
              <span className="dim">{t("address.noTls")}</span>
            ),
          },
          {
            ...proxies,
            name: t("address.proxies"),
            value:
              proxies.list.length > 0 ? (
                <span className="mono">{proxies.list.join(", ")}</span>
              ) : (
                t("address.noProxies")
              ),
          },
        ]}
      />
    </Card>
  );
}

function SignInCard({ security: { session, sign_in: signIn, password, journal } }: { security: Security }) {
  const { t } = useTranslation("settings");
  const format = useFormat();
  const delay = format.span(signIn.longest_delay_seconds);
  const settings: Setting[] = [
    { ...session, name: t("signIn.idle"), value: format.span(session.idle_seconds) },
    { name: t("signIn.absolute"), value: format.span(session.absolute_seconds) },
    { name: t("signIn.account"), value: t("signIn.attempts", { count: signIn.free_failures, delay }) },
    { name: t("signIn.host"), value: t("signIn.attempts", { count: signIn.free_address_failures, delay }) },
    {
      name: t("signIn.hash"),
      value: (
        <span className="mono">
          {t("signIn.cost", {
            algorithm: password.algorithm,
            memory: format.bytes(password.memory_kib * 1024),
            iterations: password.iterations,
            lanes: password.lanes,
          })}
        </span>
      ),
    },
    {
      ...journal,
      name: t("signIn.journal"),
      value: journal.days === 0 ? t("signIn.forever") : t("signIn.days", { count: journal.days }),
    },
  ];
  return (
    <Card title={t("signIn.title")} flush>
      <SettingRows settings={settings} />
    </Card>
  );
}

function SecretsCard({ security: { master_key: key } }: { security: Security }) {
  const { t } = useTranslation("settings");
  const previous =
    key.previous_secrets > 0
      ? t("secrets.left", { count: key.previous_secrets })
      : t(key.previous_given ? "secrets.set" : "secrets.unset");
  return (
    <Card title={t("secrets.title")} flush>
      <SettingRows
        settings={[
          {
            name: t("secrets.source"),
            value: t(`secrets.${key.source}`),
            variable: key.variable,
            given: key.source === "environment",
          },
          { name: t("secrets.previous"), value: previous, variable: key.previous_variable, given: key.previous_given },
          {
            name: t("secrets.sample"),
            value: key.readable ? (
              <Status kind="healthy">{t("secrets.opens")}</Status>
            ) : (
              <Status kind="failed">{t("secrets.closed")}</Status>
            ),
          },
        ]}
      />
    </Card>
  );
}
