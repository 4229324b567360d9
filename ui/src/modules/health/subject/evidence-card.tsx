import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import type { Check, Evidence, SubjectDetail, Vantage } from "../shared/api";
import { HealthState } from "../shared/states";
import classes from "./subject.module.css";

interface Target {
  check: Check;
  target: string;
  serverName: string | undefined;
  seen: Evidence[];
}

/** Evidence by what was looked at, in the order in which it came. */
export function targetsOf(evidence: readonly Evidence[]): Target[] {
  const found = new Map<string, Target>();
  for (const one of evidence) {
    const key = [one.check, one.target, one.server_name].join(" ");
    const target = found.get(key) ?? { check: one.check, target: one.target, serverName: one.server_name, seen: [] };
    target.seen.push(one);
    found.set(key, target);
  }
  return [...found.values()];
}

/** What each place says of each thing that is looked at. */
export function EvidenceCard({ subject }: { subject: SubjectDetail }) {
  const { t } = useTranslation("health");
  const targets = targetsOf(subject.evidence);
  return (
    <Card title={t("evidence.title")} aside={t("evidence.lead")} label={t("evidence.title")} flush>
      {targets.length === 0 ? (
        <p className={classes.quiet}>{t("evidence.none")}</p>
      ) : (
        targets.map((target) => (
          <TargetRows key={`${target.check} ${target.target} ${target.serverName}`} of={target} />
        ))
      )}
    </Card>
  );
}

/** What an agent tells of its own node needs no address. */
const tellsOfItself = (check: Check) => check === "heartbeat" || check === "core";

function TargetRows({ of: { check, target, serverName, seen } }: { of: Target }) {
  const { t } = useTranslation("health");
  const down = seen.filter(({ state }) => state === "down").length;
  return (
    <section className={classes.target} aria-label={`${t(`check.${check}`)} ${target}`}>
      <h3 className={classes.targetHead}>
        <span>{t(`checkLong.${check}`)}</span>
        {target && !tellsOfItself(check) && <span className="mono soft">{target}</span>}
        {serverName && serverName !== target && (
          <span className="dim">
            {t("evidence.name")} <span className="mono">{serverName}</span>
          </span>
        )}
        <span className={classes.tally}>
          {down > 0
            ? t("evidence.down", { count: down, all: seen.length })
            : t("evidence.places", { count: seen.length })}
        </span>
      </h3>
      <ul>
        {seen.map((one) => (
          <EvidenceRow key={`${one.vantage.kind} ${one.vantage.node_id}`} one={one} />
        ))}
      </ul>
    </section>
  );
}

function EvidenceRow({ one }: { one: Evidence }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  return (
    <li className={classes.seen}>
      <span className={classes.place}>{useVantageName()(one.vantage)}</span>
      <HealthState state={one.stale ? "unknown" : one.state} inTable />
      <span className={classes.found} title={one.error}>
        <Found one={one} />
      </span>
      <span className="num soft">
        {one.latency_ms === null ? "" : t("ms", { value: format.number(one.latency_ms, one.latency_ms < 10 ? 1 : 0) })}
      </span>
      <span className="dim num">{one.at ? <RelativeTime at={one.at} /> : t("neverLooked")}</span>
    </li>
  );
}

/** What the last look found, and for how many looks it has been so. */
function Found({ one }: { one: Evidence }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  if (one.stale && one.at) return <span className="dim">{t("evidence.stale")}</span>;
  const why = one.reason ? t(`checkReason.${one.reason as "timeout"}`, { defaultValue: one.reason }) : "";
  const failures = one.failures > 0 ? t("evidence.failures", { count: one.failures }) : "";
  const ends = one.cert_expires_at ? t("evidence.certUntil", { date: format.date(one.cert_expires_at) }) : "";
  return [why, failures, ends].filter(Boolean).join(", ");
}

/** From where it is looked: the panel, the node itself, or another node. */
export function useVantageName(): (vantage: Vantage) => string {
  const { t } = useTranslation("health");
  return ({ kind, name }) => (kind === "agent" ? t("vantage.agent", { name }) : t(`vantage.${kind}`));
}
