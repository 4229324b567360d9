import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { certificateEnd, daysLeft } from "@/api/certificate-end";
import { Facts } from "@/components/layout/card";
import { Status } from "@/components/status/status";
import type { GlyphKind } from "@/components/status/glyph";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import { nodeFlowQuery } from "../shared/api";
import type { NodeDomain } from "../shared/types";

const dnsGlyphs: Record<NodeDomain["dns_state"], GlyphKind> = {
  pending: "no-data",
  propagating: "waiting",
  ok: "healthy",
  mismatch: "degraded",
  error: "down",
};

const certificateGlyphs: Record<NodeDomain["certificate"]["state"], GlyphKind> = {
  none: "no-data",
  issuing: "waiting",
  valid: "healthy",
  expiring: "healthy",
  expired: "down",
  failed: "down",
};

/** What the panel knows of a name: mode, DNS with the answer, certificate with its end, and the flows that use it. */
export function DomainFacts({ domain }: { domain: NodeDomain }) {
  const { t } = useTranslation("nodes");
  return (
    <Facts
      nameWidth={112}
      items={[
        { name: t("domains.mode"), value: <Mode domain={domain} /> },
        { name: "DNS", value: <Dns domain={domain} /> },
        { name: t("domains.certificate"), value: <Certificate domain={domain} /> },
        { name: t("domains.usedBy"), value: <UsedBy ids={domain.used_by_flows} /> },
      ]}
    />
  );
}

function Mode({ domain: { mode, cdn } }: { domain: NodeDomain }) {
  const { t } = useTranslation("nodes");
  return (
    <>
      {t(`domainMode.${mode}`, { defaultValue: mode })}
      {mode === "cdn" && (
        <span className="dim">
          {", "}
          {t(`domains.cdnState.${cdn.state}`)}
          {cdn.cname && (
            <>
              {": "}
              <span className="mono">{cdn.cname}</span>
            </>
          )}
        </span>
      )}
    </>
  );
}

function Dns({ domain }: { domain: NodeDomain }) {
  const { t } = useTranslation("nodes");
  const { dns_state: state, record, resolved_ips: resolved } = domain;
  return (
    <>
      <Status kind={dnsGlyphs[state]}>{t(`dns.${state}`)}</Status>{" "}
      <span className="dim">
        <span className="mono">{record.type}</span>{" "}
        {resolved.length > 0 ? <span className="mono">{resolved.join(", ")}</span> : t("dns.noAnswer")}
        {record.proxied && `, ${t("dns.proxied")}`}
      </span>
    </>
  );
}

function Certificate({ domain: { certificate } }: { domain: NodeDomain }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const now = useNow();
  const { state, not_after: until, issuer, last_error: said } = certificate;
  const end = certificateEnd(certificate, now);
  const left = until && end !== "over" && t("certificate.days", { count: daysLeft(until, now) });
  return (
    <>
      <Status kind={end === "over" ? "down" : end === "soon" ? "degraded" : certificateGlyphs[state]}>
        {t(`certificate.${end === "over" ? "expired" : end === "soon" ? "soon" : state}`)}
      </Status>{" "}
      <span className="dim">
        {[until && t("certificate.until", { date: format.date(until) }), left, issuer, said].filter(Boolean).join(", ")}
      </span>
    </>
  );
}

function UsedBy({ ids }: { ids: readonly string[] }) {
  const { t } = useTranslation("nodes");
  const readable = useAccess().can("connection_units.view");
  const flows = useQueries({ queries: ids.map((id) => ({ ...nodeFlowQuery(id), enabled: readable })) });
  if (ids.length === 0) return <span className="dim">{t("domains.unused")}</span>;
  if (!readable) return t("domains.inUse", { count: ids.length });
  return ids.map((id, index) => (
    <span key={id}>
      {index > 0 && ", "}
      <Link to={`/flows/${id}`}>{flows[index]?.data?.name ?? id.slice(0, 8)}</Link>
    </span>
  ));
}
