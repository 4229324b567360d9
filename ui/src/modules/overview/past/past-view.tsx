import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { Card, Figures } from "@/components/layout/card";
import { ranges, useRange } from "@/components/screen/use-range";
import type { OverviewPart, Past, PastKnown, PastProps, PastTrack } from "@/module";
import classes from "../overview.module.css";
import { TimeMachine } from "./time-machine";

interface PastViewProps {
  at: string;
  onMove: (at: number | undefined) => void;
  parts: { name: string; part: OverviewPart }[];
}

type Place = Exclude<keyof Past, "useKnown" | "Track">;

/**
 * The overview of a moment that is past: what was healthy, what flowed, what was installed. The list of parts never
 * changes while this is mounted, so their hooks keep their order.
 */
export function PastView({ at, onMove, parts }: PastViewProps) {
  const { t } = useTranslation("overview");
  const [range] = useRange("30d");
  const pasts = parts.flatMap(({ name, part }) => (part.Past ? [{ name, past: part.Past }] : []));
  const known = nearest(pasts.map(({ past }) => past.useKnown(at)));
  const tracks = pasts.map(({ past }) => past.Track).filter((Track): Track is ComponentType<PastTrack> => !!Track);
  const draw = (place: Place) =>
    pasts.flatMap(({ name, past }) => {
      const Part = past[place] as ComponentType<PastProps> | undefined;
      return Part ? [<Part key={name} at={at} />] : [];
    });
  return (
    <>
      <TimeMachine at={at} onMove={onMove} length={ranges[range] * 1000} known={known} tracks={tracks} />
      {pasts.length === 0 && <p className={classes.setup}>{t("past.unseen")}</p>}
      <Card flush className={classes.top}>
        <Figures>{draw("Tile")}</Figures>
        {draw("Strip")}
      </Card>
      <div className={classes.middle}>
        <div className={classes.side}>{draw("Main")}</div>
        <div className={classes.side}>{draw("Side")}</div>
      </div>
    </>
  );
}

/** The changes that are nearest to the moment, over all parts. */
export function nearest(all: readonly PastKnown[]): PastKnown {
  const some = (key: keyof PastKnown) => all.map((one) => one[key]).filter((at) => at !== undefined);
  const [earliest, earlier, later] = [some("earliest"), some("earlier"), some("later")];
  return {
    earliest: earliest.length > 0 ? Math.min(...earliest) : undefined,
    earlier: earlier.length > 0 ? Math.max(...earlier) : undefined,
    later: later.length > 0 ? Math.min(...later) : undefined,
  };
}
