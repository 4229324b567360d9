import { useTranslation } from "react-i18next";
import { useFormat } from "@/text/use-format";
import type { Bar } from "../api";
import classes from "../statuspage.module.css";

/** The last 90 days of a component as thin marks; the words beside say the share of time in which it was up. */
export function BarStrip({ bar, name }: { bar: Bar; name: string }) {
  const { t } = useTranslation("statuspage");
  const format = useFormat();
  const share = bar.uptime_percent === null ? t("bars.unknown") : `${format.number(bar.uptime_percent, 2)} %`;
  return (
    <span className={classes.bars}>
      <span className={classes.strip} role="img" aria-label={t("bars.label", { name, count: bar.days.length, share })}>
        {bar.days.map((day) => (
          <span key={day.date} data-state={day.worst} title={`${format.date(day.date)}: ${t(`status.${day.worst}`)}`} />
        ))}
      </span>
      <span className={`${classes.second} num`}>{share}</span>
    </span>
  );
}
