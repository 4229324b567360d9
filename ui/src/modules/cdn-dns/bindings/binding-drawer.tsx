import { Drawer } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { IconCertificate } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { Action } from "@/components/action/action";
import { CopyButton } from "@/components/action/copy-button";
import { Facts } from "@/components/layout/card";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import { useOrderCertificate } from "../certificates/api";
import classes from "../cdn-dns.module.css";
import { useBlock } from "../header";
import { CertificateState } from "../shared/certificate-state";
import { bindingQuery, flowNameQuery, type Binding } from "./api";
import { DnsSection } from "./dns-section";
import { DnsState } from "./dns-state";
import { LeadsTo, nodesOf, useNodeNames } from "./node-link";

/** All that is known of one host name: where it leads, its certificate, and the flows that use it. */
export function BindingDrawer({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const { t } = useTranslation("cdn-dns");
  return (
    <Drawer opened={id !== undefined} onClose={onClose} title={t("binding.title")}>
      {id !== undefined && <Opened id={id} />}
    </Drawer>
  );
}

function Opened({ id }: { id: string }) {
  const { t } = useTranslation("cdn-dns");
  const state = viewState(useQuery(bindingQuery(id)));
  if (state.kind === "loading") return <Skeleton rows={6} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} tried={t("binding.loadFailed")} onRetry={state.retry} />;
  return <Sheet binding={state.data} />;
}

function Sheet({ binding }: { binding: Binding }) {
  const { t } = useTranslation("cdn-dns");
  const { can } = useAccess();
  const nameOf = useNodeNames(nodesOf(binding));
  return (
    <div className={classes.sheet}>
      <span className={classes.copied}>
        <h2 className={classes.sheetTitle}>{binding.hostname}</h2>
        <CopyButton value={binding.hostname} what={t("binding.hostname")} />
      </span>
      <Facts
        nameWidth={120}
        items={[
          { name: t("binding.node"), value: <LeadsTo binding={binding} nameOf={nameOf} /> },
          { name: t("binding.mode"), value: t(`mode.${binding.mode}`) },
          ...(binding.mode === "cdn" ? [{ name: "CDN", value: <Network cdn={binding.cdn} /> }] : []),
          { name: "DNS", value: <DnsState state={binding.dns_state} /> },
          { name: t("binding.record"), value: <Record binding={binding} /> },
          { name: t("binding.answer"), value: <Answer ips={binding.resolved_ips} /> },
          { name: t("binding.usedBy"), value: <UsedBy ids={binding.used_by_flows} /> },
        ]}
      />
      <CertificateOf binding={binding} />
      {can("dns.view") && <DnsSection id={binding.id} />}
    </div>
  );
}

function Record({ binding: { record } }: { binding: Binding }) {
  const { t } = useTranslation("cdn-dns");
  const format = useFormat();
  return (
    <>
      <span className="mono">{record.type}</span>
      <span className="dim">
        , {t("binding.ttl", { span: format.span(record.ttl) })}
        {record.proxied && `, ${t("binding.proxied")}`}
      </span>
    </>
  );
}

/** What stands at the network in front of the node. */
function Network({ cdn }: Pick<Binding, "cdn">) {
  const { t } = useTranslation("cdn-dns");
  return (
    <>
      <Status kind={networkGlyphs[cdn.state]}>{t(`cdnState.${cdn.state}`)}</Status>{" "}
      <span className="dim">
        {cdn.kind && t(`network.${cdn.kind}` as "network.bunny", { defaultValue: cdn.kind })}
        {cdn.cname && (
          <>
            {", "}
            <span className="mono">{cdn.cname}</span>
          </>
        )}
        {cdn.origin_host && (
          <>
            {" → "}
            <span className="mono">{cdn.origin_host}</span>
          </>
        )}
      </span>
    </>
  );
}

const networkGlyphs: Record<Binding["cdn"]["state"], GlyphKind> = {
  absent: "no-data",
  provisioning: "waiting",
  ready: "healthy",
};

function Answer({ ips }: { ips: readonly string[] }) {
  const { t } = useTranslation("cdn-dns");
  if (ips.length === 0) return <span className="dim">{t("binding.noAnswer")}</span>;
  return <span className="mono">{ips.join(", ")}</span>;
}

function UsedBy({ ids }: { ids: readonly string[] }) {
  const { t } = useTranslation("cdn-dns");
  const readable = useAccess().can("connection_units.view");
  const flows = useQueries({ queries: ids.map((id) => ({ ...flowNameQuery(id), enabled: readable })) });
  if (ids.length === 0) return <span className="dim">{t("binding.unused")}</span>;
  if (!readable) return t("binding.flows", { count: ids.length });
  return ids.map((id, index) => (
    <span key={id}>
      {index > 0 && ", "}
      <Link to={`/flows/${id}`}>{flows[index]?.data?.name ?? id.slice(0, 8)}</Link>
    </span>
  ));
}

/** The certificate of a host name, and the order of one. */
function CertificateOf({ binding }: { binding: Binding }) {
  const { t } = useTranslation("cdn-dns");
  const format = useFormat();
  const { can } = useAccess();
  const block = useBlock();
  const order = useOrderCertificate();
  const { id, hostname, certificate } = binding;
  const has = certificate.not_after !== null;
  const ordered = certificate.challenge !== "" || !has;
  return (
    <section className={classes.section} aria-label={t("binding.certificate")}>
      <h3 className="caps">{t("binding.certificate")}</h3>
      <CertificateState life={certificate} />
      {has && (
        <p className="dim">
          {t("binding.until", { date: format.date(certificate.not_after!) })}
          {certificate.issuer && `, ${certificate.issuer}`}
        </p>
      )}
      {certificate.last_error && <p className={classes.outcome}>{certificate.last_error}</p>}
      {order.error && <ProblemNote error={order.error} />}
      <div className={classes.acts}>
        {ordered && (
          <Action
            icon={IconCertificate}
            busy={order.isPending}
            reason={block ?? (certificate.state === "issuing" ? t("binding.underway") : undefined)}
            onClick={() => order.mutate(id, { onSuccess: () => toastDone(t("certificates.ordered"), hostname) })}
          >
            {t(has ? "certificates.renew" : "binding.order")}
          </Action>
        )}
        {can("dns.view") && <Link to="/domains/certificates">{t("binding.allCertificates")}</Link>}
      </div>
    </section>
  );
}
