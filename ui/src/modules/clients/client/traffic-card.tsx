import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { ProblemNote } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { useFormat } from "@/text/use-format";
import { courseQuery, type Course } from "../api";
import classes from "./client.module.css";

const shownDays = 30;

/** What a client carried on each of the last days. */
export function TrafficCard({ id }: { id: string }) {
  const { t } = useTranslation("clients");
  const format = useFormat();
  const course = useQuery(courseQuery(id, shownDays));
  const days = course.data?.days ?? [];
  const sum = days.reduce((all, day) => all + day.up + day.down, 0);
  return (
    <Card
      title={t("traffic.title")}
      aside={course.data && t("traffic.sum", { days: shownDays, sum: format.bytes(sum) })}
    >
      {course.error && !course.data ? (
        <ProblemNote error={course.error} />
      ) : !course.data ? (
        <Skeleton height={120} />
      ) : sum === 0 ? (
        <p className="soft">{t("traffic.none", { days: shownDays })}</p>
      ) : (
        <Bars days={days} />
      )}
    </Card>
  );
}

function Bars({ days }: { days: Course["days"] }) {
  const { t } = useTranslation("clients");
  const format = useFormat();
  const most = Math.max(...days.map((day) => day.up + day.down));
  const named = (day: string) => format.date(`${day}T12:00:00`); // noon: the same day in any time zone
  const part = (bytes: number) => `${(100 * bytes) / most}%`;
  const told = (day: Course["days"][number]) =>
    t("traffic.day", { day: named(day.day), down: format.bytes(day.down), up: format.bytes(day.up) });
  return (
    <figure className={classes.traffic}>
      <div className={classes.scale} aria-hidden>
        <span className="num">{format.bytes(most)}</span>
        <span className="num">0</span>
      </div>
      <ol className={classes.bars} aria-label={t("traffic.title")}>
        {days.map((day) => (
          <li key={day.day} title={told(day)}>
            <span className="visually-hidden">{told(day)}</span>
            <span className={classes.up} style={{ height: part(day.up) }} aria-hidden />
            <span className={classes.down} style={{ height: part(day.down) }} aria-hidden />
          </li>
        ))}
      </ol>
      <figcaption className={classes.caption}>
        <span className="num">{named(days[0]!.day)}</span>
        <span className={classes.keys}>
          <span className={classes.down} aria-hidden /> {t("traffic.down")}
          <span className={classes.up} aria-hidden /> {t("traffic.up")}
        </span>
        <span className="num">{named(days.at(-1)!.day)}</span>
      </figcaption>
    </figure>
  );
}
