import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import classes from "../cdn-dns.module.css";
import type { DnsDetail } from "./api";

type Record = DnsDetail["wanted"][number];
type Server = DnsDetail["seen"][number];
type Stands = Record["state"] | "seen" | "byHand";

const stands: { [Word in Stands]: GlyphKind } = {
  written: "healthy",
  found: "healthy",
  seen: "healthy",
  missing: "waiting",
  byHand: "waiting",
  conflict: "degraded",
};

/** How a wanted record stands. Where no integration holds the zone, only answers tell whether somebody has made it. */
export function standsAs({ state, value }: Record, { managed, seen }: Pick<DnsDetail, "managed" | "seen">): Stands {
  if (state !== "missing" || managed) return state;
  return seen.some(({ values }) => values.includes(value)) ? "seen" : "byHand";
}

export function Wanted({ dns }: { dns: DnsDetail }) {
  const { t } = useTranslation("cdn-dns");
  const format = useFormat();
  return (
    <section className={classes.part} aria-label={t("dns.wanted")}>
      <h4 className={classes.partTitle}>{t("dns.wanted")}</h4>
      {dns.wanted.length === 0 ? (
        <p className="dim">{t("dns.wantedNone")}</p>
      ) : (
        <ul className={classes.shown}>
          {dns.wanted.map((record) => {
            const word = standsAs(record, dns);
            return (
              <li key={`${record.type} ${record.value}`}>
                <span>
                  <span className="mono">
                    {record.type} {record.value}
                  </span>{" "}
                  <span className="dim">{t("binding.ttl", { span: format.span(record.ttl) })}</span>
                </span>
                <Status kind={stands[word]}>{t(`dns.stands.${word}`)}</Status>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

/** Records of somebody else at the name, and what to do about them. */
export function Conflicts({ dns: { conflicts } }: { dns: DnsDetail }) {
  const { t } = useTranslation("cdn-dns");
  if (conflicts.length === 0) return null;
  return (
    <div className={classes.outcome} role="note">
      <p className="strong">{t("dns.conflicts")}</p>
      <ul>
        {conflicts.map(({ type, name, value }) => (
          <li key={`${type} ${name} ${value}`} className="mono">
            {type} {value}
          </li>
        ))}
      </ul>
      <p className="soft">{t("dns.conflictsText")}</p>
    </div>
  );
}

const answers: { [Answer in Server["answer"]]: GlyphKind } = {
  same: "healthy",
  different: "degraded",
  alias: "healthy",
  empty: "degraded",
  silent: "no-data",
  refused: "no-data",
};

/** What each name server answered at the last look: those of the zone first, then public resolvers. */
export function Seen({ dns: { seen } }: { dns: DnsDetail }) {
  const { t } = useTranslation("cdn-dns");
  const groups = [
    { key: "zone", servers: seen.filter(({ authoritative }) => authoritative) },
    { key: "resolvers", servers: seen.filter(({ authoritative }) => !authoritative) },
  ] as const;
  return groups
    .filter(({ servers }) => servers.length > 0)
    .map(({ key, servers }) => (
      <section key={key} className={classes.part} aria-label={t(`dns.${key}`)}>
        <h4 className={classes.partTitle}>{t(`dns.${key}`)}</h4>
        <ul className={classes.shown}>
          {servers.map(({ server, values, answer }) => (
            <li key={server}>
              <span>
                <span className="mono">{server.replace(/:53$/, "")}</span>
                {values.length > 0 && <span className={`${classes.values} mono dim`}>{values.join(", ")}</span>}
              </span>
              <Status kind={answers[answer]}>{t(`dns.answer.${answer}`)}</Status>
            </li>
          ))}
        </ul>
      </section>
    ));
}
