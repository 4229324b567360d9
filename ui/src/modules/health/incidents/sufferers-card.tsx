import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import { HealthState } from "../shared/states";
import { hintText, reasonText } from "../shared/verdict";
import type { IncidentDetail, Sufferer, Witness } from "./api";
import { SubjectLink } from "./incident-text";
import classes from "./incidents.module.css";

/** Who suffers, or did, and what was seen of each when it joined. */
export function SufferersCard({ incident }: { incident: IncidentDetail }) {
  const { t } = useTranslation("health");
  return (
    <Card
      title={t("incident.sufferers")}
      aside={t("incident.still", { count: incident.suffering, all: incident.subjects.length })}
      label={t("incident.sufferers")}
      flush
    >
      <ul>
        {incident.subjects.map((one) => (
          <SuffererRow key={one.id} one={one} />
        ))}
      </ul>
    </Card>
  );
}

function SuffererRow({ one }: { one: Sufferer }) {
  const { t } = useTranslation("health");
  const why = [reasonText(t, one), hintText(t, one)].filter(Boolean).join("; ");
  const sight = new Set(one.evidence.map(({ vantage }) => vantage)).size;
  return (
    <li className={classes.sufferer}>
      <div className={classes.head}>
        <HealthState state={one.left_at ? "up" : one.state} />
        <span className={classes.name}>
          <span className="dim">{t(`${one.kind === "node" ? "nodes" : "flows"}.one`)}</span>{" "}
          <SubjectLink kind={one.kind} id={one.id} name={one.name} />
        </span>
        <span className="dim num">
          {one.left_at ? (
            <>
              {t("incident.wellAgain")} <RelativeTime at={one.left_at} />
            </>
          ) : (
            <RelativeTime at={one.since} />
          )}
        </span>
      </div>
      {why && <p className="soft">{why}</p>}
      {one.evidence.length > 0 && (
        <details className={classes.evidence}>
          <summary>{t("incident.evidence", { count: sight })}</summary>
          <ul>
            {one.evidence.map((seen) => (
              <WitnessRow key={`${seen.check} ${seen.entry} ${seen.vantage}`} seen={seen} />
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function WitnessRow({ seen }: { seen: Witness }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  const place =
    seen.vantage_kind === "agent" ? t("vantage.agent", { name: seen.vantage_name }) : t(`vantage.${seen.vantage_kind}`);
  return (
    <li className={classes.seen}>
      <span>{place}</span>
      <span className="soft">{t(`checkLong.${seen.check as "tcp"}`, { defaultValue: seen.check })}</span>
      <HealthState state={seen.state as "up"} inTable />
      <span className="soft">
        {seen.reason && t(`checkReason.${seen.reason as "timeout"}`, { defaultValue: seen.reason })}
      </span>
      <span className="dim num">{seen.at && format.moment(seen.at)}</span>
    </li>
  );
}
