import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { useFormat } from "@/text/use-format";
import { barsOf, barsText, shareText, type Day } from "../shared/days";
import classes from "./subject.module.css";

/** The last days as bars, each with what it was. */
export function DaysCard({ days }: { days: readonly Day[] }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  const bars = barsOf(days);
  const textOf = ({ day, state, down_s: down, degraded_s: degraded }: Day) =>
    [
      format.day(day),
      t(`state.${state}`),
      down > 0 && t("days.downFor", { span: format.span(down) }),
      degraded > 0 && t("days.degradedFor", { span: format.span(degraded) }),
    ]
      .filter(Boolean)
      .join(", ");
  return (
    <Card
      title={t("days.title", { count: days.length })}
      right={bars.share === undefined ? undefined : <span className="num">{shareText(bars.share, format.number)}</span>}
    >
      <div className={classes.days} role="img" aria-label={barsText(t, bars, format.number)}>
        {days.map((day) => (
          <span key={day.day} data-state={day.state} title={textOf(day)} />
        ))}
      </div>
      <p className={classes.ends}>
        <span>{days[0] && format.day(days[0].day)}</span>
        <span>{t("days.today")}</span>
      </p>
    </Card>
  );
}
