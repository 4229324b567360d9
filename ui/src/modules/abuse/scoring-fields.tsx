import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./abuse.module.css";
import { signalKinds } from "./shared/kinds";

/** Gives a number of the settings its field, by its dotted path. */
export type NumberField = (
  path: string,
  label: string,
  bounds: [least: number, most: number],
  help?: string,
) => ReactNode;

/** Each value of the scoring, with its bounds. */
const values: [name: string, least: number, most: number][] = [
  ["cooldown_minutes", 1, 1_440],
  ["buffer", 0, 100],
  ["per_source", 0, 100],
  ["at_once", 0, 100],
  ["other_city", 0, 100],
  ["other_country", 0, 100],
  ["too_fast", 0, 100],
  ["city_kmh", 1, 2_000],
  ["country_kmh", 1, 2_000],
  ["world_kmh", 1, 2_000],
  ["networks", 1, 64],
  ["per_network", 0, 100],
  ["per_hosting", 0, 100],
  ["usual_times", 2, 100],
  ["per_time", 0, 100],
  ["new_country", 0, 100],
  ["devices", 1, 1_000],
  ["per_device", 0, 100],
  ["hard_sources", 2, 64],
  ["hard_at_once", 2, 1_000],
];

const parts = ["temporal", "geo", "asn", "profile", "device", "hwid", "signals"] as const;
const most = 255;

/** The values that scores are made of; few ever change them, so they are folded. */
export function ScoringFields({ number }: { number: NumberField }) {
  const { t } = useTranslation("abuse");
  return (
    <details className={classes.folded}>
      <summary>{t("settings.scoring")}</summary>
      <div className={classes.settingsPart}>
        <p className="soft">{t("settings.scoringText")}</p>
        <div className={classes.pair}>
          {values.map(([name, low, high]) => number(`scoring.${name}`, t(`settings.score.${name}`), [low, high]))}
        </div>
        <h4 className="caps">{t("settings.most")}</h4>
        <div className={classes.four}>
          {parts.map((part) => number(`scoring.most.${part}`, t(`case.part.${part}`), [0, most]))}
        </div>
        <h4 className="caps">{t("settings.points")}</h4>
        <div className={classes.pair}>
          {signalKinds.map((kind) => number(`scoring.signals.${kind}`, t(`kind.${kind}`), [0, most]))}
        </div>
      </div>
    </details>
  );
}
