import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import { thresholdsQuery } from "../api";
import { certaintyOf } from "../shared/kinds";
import { useSentence } from "../shared/sentence";
import type { Case, Part } from "./api";
import { shareOf, toneOfStep } from "./case-words";
import classes from "./cases.module.css";

/** The score with what it is made of, each part in a sentence, and from which score on something is suggested. */
export function ScoreCard({ one }: { one: Case }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const certainty = t(`case.certainty.${certaintyOf(one.confidence)}`);
  const parts = one.breakdown.filter(({ points }) => points > 0);
  return (
    <Card
      title={t("case.score")}
      label={t("case.score")}
      right={
        <span>
          {t("case.scored")} <RelativeTime at={one.scored_at} />
        </span>
      }
    >
      <div className={classes.head}>
        <span className={`${classes.figure} num`}>{format.number(one.score)}</span>
        <span className={classes.said}>
          {t("case.of", { most: format.number(one.most), certainty })}
          <br />
          {t("case.suggestion")} <span className="strong">{t(`case.step.${one.recommended}`)}</span>
        </span>
      </div>
      <div className={classes.bar} data-tone={toneOfStep[one.recommended]} aria-hidden>
        {parts.map(({ part, points }) => (
          <span key={part} style={{ width: `${shareOf(points, one.most)}%` }} />
        ))}
      </div>
      <Thresholds most={one.most} />
      <ul>
        {one.breakdown.map((part) => (
          <PartRow key={part.part} part={part} />
        ))}
      </ul>
    </Card>
  );
}

function Thresholds({ most }: { most: number }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const thresholds = useQuery(thresholdsQuery).data;
  return (
    <p className={classes.thresholds}>
      {thresholds &&
        (["warn", "limit", "block"] as const).map((level) => (
          <span key={level} className={classes.threshold} style={{ left: `${shareOf(thresholds[level], most)}%` }}>
            {t(`case.threshold.${level}`)} <span className="num">{format.number(thresholds[level])}</span>
          </span>
        ))}
    </p>
  );
}

function PartRow({ part: { part, points, most, known, ...why } }: { part: Part }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const say = useSentence();
  return (
    <li className={classes.part} data-unknown={!known || undefined}>
      <span>
        <span className={classes.partName}>{t(`case.part.${part}`)}</span>
        <span className={classes.partWhy}>{say(why)}</span>
      </span>
      <span className={classes.meter} aria-hidden>
        <span style={{ width: `${shareOf(points, most)}%` }} />
      </span>
      <span className={`${classes.points} num`}>
        {known ? <span className="strong">{format.number(points)}</span> : <span title={t("unknown")}>?</span>} /{" "}
        {format.number(most)}
      </span>
    </li>
  );
}
