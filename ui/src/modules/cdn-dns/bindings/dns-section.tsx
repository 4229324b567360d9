import { useQuery } from "@tanstack/react-query";
import { IconRefresh } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { RelativeTime } from "@/components/text/relative-time";
import { useNow } from "@/components/text/use-now";
import classes from "../cdn-dns.module.css";
import { dnsQuery, useCheckDns, type DnsDetail } from "./api";
import { Conflicts, Seen, Wanted } from "./dns-records";
import { DnsState } from "./dns-state";

/** The records of a host name: wanted and actual, whose they are, and a look at them now. */
export function DnsSection({ id }: { id: string }) {
  const query = useQuery(dnsQuery(id));
  const state = viewState(query);
  if (state.kind === "error" && isProblem(state.error, "not_found")) return <Foreign />;
  return (
    <section className={classes.section} aria-label="DNS">
      <h3 className="caps">DNS</h3>
      {state.kind === "loading" && <Skeleton rows={4} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} />}
      {state.kind === "ready" && <Detail id={id} dns={state.data} />}
    </section>
  );
}

function Foreign() {
  const { t } = useTranslation("cdn-dns");
  return (
    <section className={classes.section} aria-label="DNS">
      <h3 className="caps">DNS</h3>
      <p className="dim">{t("dns.foreign")}</p>
    </section>
  );
}

function Detail({ id, dns }: { id: string; dns: DnsDetail }) {
  const { t } = useTranslation("cdn-dns");
  const check = useCheckDns(id);
  const block = useWriteBlock({ feature: "cdndns" });
  return (
    <>
      <div className={classes.acts}>
        <DnsState state={dns.state} />
        <span className="dim">
          <Looked dns={dns} />
        </span>
      </div>
      <p className="soft">{t(`dns.meaning.${dns.state}`)}</p>
      {dns.last_error && (
        <div className={classes.outcome} role="note">
          <p className="strong">{t("dns.notWritten")}</p>
          <p>{dns.last_error}</p>
        </div>
      )}
      {check.error && <ProblemNote error={check.error} />}
      <Action icon={IconRefresh} busy={check.isPending} reason={block} onClick={() => check.mutate()}>
        {t("check")}
      </Action>
      <Conflicts dns={dns} />
      <Wanted dns={dns} />
      <p className="dim">{t(dns.managed ? "dns.managed" : "dns.watched")}</p>
      {!dns.managed && <Link to="/domains/integrations">{t("dns.toIntegrations")}</Link>}
      <Seen dns={dns} />
    </>
  );
}

function Looked({ dns: { checked_at: at, next_check_at: next } }: { dns: DnsDetail }) {
  const { t } = useTranslation("cdn-dns");
  const now = useNow();
  if (!at) return t("dns.never");
  return (
    <>
      {t("dns.checked")} <RelativeTime at={at} />, {t("dns.next")}{" "}
      {Date.parse(next) > now ? <RelativeTime at={next} /> : t("dns.due")}
    </>
  );
}
