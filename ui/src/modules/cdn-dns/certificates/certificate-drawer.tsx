import { Drawer } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { IconRefresh, IconTrash, IconUpload } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { Action } from "@/components/action/action";
import { CopyButton } from "@/components/action/copy-button";
import { Facts } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import { bindingsNamedQuery, type Binding } from "../bindings/api";
import classes from "../cdn-dns.module.css";
import { CertificateState } from "../shared/certificate-state";
import { certificateQuery, type Certificate } from "./api";
import type { CertificateActs } from "./certificates-view";
import { covers, searched, shortNames } from "./names";

interface DrawerProps {
  id: string | undefined;
  acts: CertificateActs;
  onClose: () => void;
}

/** All that is known of one certificate, and where it is shown. */
export function CertificateDrawer({ id, acts, onClose }: DrawerProps) {
  const { t } = useTranslation("cdn-dns");
  return (
    <Drawer opened={id !== undefined} onClose={onClose} title={t("certificate.title")}>
      {id !== undefined && <Opened id={id} acts={acts} />}
    </Drawer>
  );
}

function Opened({ id, acts }: { id: string; acts: CertificateActs }) {
  const { t } = useTranslation("cdn-dns");
  const state = viewState(useQuery(certificateQuery(id)));
  const { can } = useAccess();
  if (state.kind === "loading") return <Skeleton rows={6} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} tried={t("certificate.loadFailed")} onRetry={state.retry} />;
  const one = state.data;
  return (
    <div className={classes.sheet}>
      <h2 className={classes.sheetTitle}>{shortNames(one.names).first}</h2>
      <CertificateState life={one} />
      {one.last_error && <LastError one={one} />}
      <CertificateFacts one={one} />
      <div className={classes.acts}>
        {one.source === "authority" ? (
          <Action icon={IconRefresh} reason={acts.block} onClick={() => acts.onRenew(one)}>
            {t("certificates.renew")}
          </Action>
        ) : (
          <Action icon={IconUpload} reason={acts.block} onClick={acts.onUpload}>
            {t("certificates.replace")}
          </Action>
        )}
        <Action kind="danger" icon={IconTrash} reason={acts.block} onClick={() => acts.onRemove(one)}>
          {t("certificates.remove")}
        </Action>
      </div>
      {can("nodes.view") && <ShownBy one={one} />}
    </div>
  );
}

function LastError({ one: { last_error: said, retry_at: retry, not_after: until } }: { one: Certificate }) {
  const { t } = useTranslation("cdn-dns");
  return (
    <div className={classes.outcome} role="note">
      <p className="strong">{t("certificate.failed")}</p>
      <p>{said}</p>
      <p className="dim">
        {until && `${t("certificate.staysInUse")} `}
        {retry && (
          <>
            {t("certificate.retry")} <RelativeTime at={retry} />
          </>
        )}
      </p>
    </div>
  );
}

function CertificateFacts({ one }: { one: Certificate }) {
  const { t } = useTranslation("cdn-dns");
  const format = useFormat();
  const dash = <span className="dim">—</span>;
  const moment = (at: string | null) => (at ? format.fullMoment(at) : dash);
  return (
    <Facts
      nameWidth={120}
      items={[
        { name: t("certificates.names"), value: one.names.join(", ") },
        { name: t("certificates.issuer"), value: one.issuer || dash },
        { name: t("certificates.source"), value: t(`source.${one.source}`) },
        ...(one.challenge ? [{ name: t("certificate.challenge"), value: one.challenge.toUpperCase() }] : []),
        { name: t("certificate.from"), value: moment(one.not_before) },
        { name: t("certificate.until"), value: moment(one.not_after) },
        {
          name: t("certificates.renewal"),
          value: one.source === "upload" ? t("certificates.byYou") : moment(one.renew_at),
        },
        { name: t("certificate.serial"), value: one.serial || dash, mono: one.serial !== "" },
        { name: t("certificate.fingerprint"), value: one.fingerprint ? <Fingerprint one={one} /> : dash },
      ]}
    />
  );
}

function Fingerprint({ one: { fingerprint } }: { one: Certificate }) {
  const { t } = useTranslation("cdn-dns");
  return (
    <span className={classes.copied}>
      <span className="mono">{fingerprint}</span>
      <CopyButton value={fingerprint} what={t("certificate.fingerprint")} />
    </span>
  );
}

/** The bindings that the certificate covers; one that is valid for longer is shown in its place. */
function ShownBy({ one }: { one: Certificate }) {
  const { t } = useTranslation("cdn-dns");
  const texts = searched(one.names);
  const pages = useQueries({ queries: texts.map((text) => bindingsNamedQuery(text)) });
  const failed = pages.find(({ error }) => error);
  const found = pages.flatMap(({ data }) => data?.items ?? []);
  const covered = found.filter(({ hostname }, at) => {
    const first = found.findIndex((other) => other.hostname === hostname) === at;
    return first && covers(one.names, hostname);
  });
  const cut = pages.some(({ data }) => data && data.total > data.items.length);
  return (
    <section aria-label={t("certificate.shownBy")}>
      <h3 className="caps">{t("certificate.shownBy")}</h3>
      {failed ? (
        <ProblemView error={failed.error} onRetry={() => void failed.refetch()} />
      ) : pages.some(({ isPending }) => isPending) ? (
        <Skeleton rows={2} />
      ) : covered.length === 0 ? (
        <p className="dim">{t("certificate.shownByNone")}</p>
      ) : (
        <ul className={classes.shown}>
          {covered.map((binding) => (
            <li key={binding.id}>
              <Link to="/domains" search={{ open: binding.id }}>
                {binding.hostname}
              </Link>
              <span className="dim">
                {shows(binding, one)
                  ? t("certificate.inFlows", { count: binding.used_by_flows.length })
                  : t("certificate.another")}
              </span>
            </li>
          ))}
        </ul>
      )}
      {cut && (
        <p className="dim">
          <Link to="/domains" search={{ q: texts[0] }}>
            {t("certificate.allNames")}
          </Link>
        </p>
      )}
    </section>
  );
}

function shows({ certificate }: Binding, one: Certificate): boolean {
  return certificate.not_after === one.not_after && certificate.issuer === one.issuer;
}
