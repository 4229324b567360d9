import { useDebouncedCallback } from "@mantine/hooks";
import { IconPlayerSkipBack, IconPlayerSkipForward, IconX } from "@tabler/icons-react";
import { useEffect, useState, type ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { serverNow } from "@/api/server-clock";
import { Action } from "@/components/action/action";
import { CopyButton } from "@/components/action/copy-button";
import { Card } from "@/components/layout/card";
import type { PastKnown, PastTrack } from "@/module";
import { useFormat } from "@/text/use-format";
import { spanAround, stepOf } from "./span";
import classes from "./time-machine.module.css";

interface TimeMachineProps {
  at: string;
  onMove: (at: number | undefined) => void;
  /** How much of the past the slider covers, in milliseconds. */
  length: number;
  known: PastKnown;
  tracks: ComponentType<PastTrack>[];
}

const settles = 150;
/** Past a change by this, so that what changed together is seen as a whole. */
const beyond = 30_000;

/** A slider over the past: drag it, or go from one change to the next. */
export function TimeMachine({ at, onMove, length, known, tracks }: TimeMachineProps) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  const moment = Date.parse(at);
  const [dragged, setDragged] = useState<number>();
  const span = useSpan(moment, length, known.earliest);
  const settle = useDebouncedCallback(onMove, settles);
  useEffect(() => setDragged(undefined), [at]);
  const shown = dragged ?? moment;
  const said = format.moment(new Date(shown).toISOString());
  const jump = (to: number | undefined) => to !== undefined && onMove(to + beyond);
  return (
    <Card flush className={classes.card} label={t("past.title")}>
      <div className={classes.bar}>
        <Jump icon={IconPlayerSkipBack} to={known.earlier} none={t("past.noEarlier")} onJump={jump}>
          {t("past.earlier")}
        </Jump>
        <span className={classes.slider}>
          <span className={classes.tracks} aria-hidden>
            {tracks.map((Track, index) => (
              <Track key={index} from={new Date(span.from).toISOString()} to={new Date(span.to).toISOString()} />
            ))}
          </span>
          <input
            type="range"
            min={span.from}
            max={span.to}
            step={stepOf(span)}
            value={shown}
            aria-label={t("past.moment")}
            aria-valuetext={said}
            onChange={(event) => {
              const to = Number(event.target.value);
              setDragged(to);
              settle(to);
            }}
          />
          <span className={`${classes.ends} num`} aria-hidden>
            <span>{format.moment(new Date(span.from).toISOString())}</span>
            <span>{format.moment(new Date(span.to).toISOString())}</span>
          </span>
        </span>
        <Jump icon={IconPlayerSkipForward} to={known.later} none={t("past.noLater")} onJump={jump}>
          {t("past.later")}
        </Jump>
        <span className={classes.said}>
          <b className="num">{said}</b>
          <span className="dim num">{t("past.ago", { span: format.span((serverNow() - shown) / 1000) })}</span>
        </span>
        <span className={classes.acts}>
          <CopyButton value={location.href} what={t("past.link")} />
          <Action kind="default" size="bar" icon={IconX} onClick={() => onMove(undefined)}>
            {t("past.now")}
          </Action>
        </span>
      </div>
    </Card>
  );
}

/** What the slider covers stays while it is dragged; it changes with its length, and when the moment leaves it. */
function useSpan(moment: number, length: number, earliest: number | undefined) {
  const [anchor, setAnchor] = useState({ moment, length, now: serverNow() });
  const span = spanAround(anchor.moment, anchor.length, anchor.now, earliest);
  const outside = moment < span.from || moment > span.to;
  useEffect(() => {
    if (outside || anchor.length !== length) setAnchor({ moment, length, now: serverNow() });
  }, [outside, moment, length, anchor.length]);
  return span;
}

function Jump({
  icon,
  to,
  none,
  onJump,
  children,
}: {
  icon: typeof IconPlayerSkipBack;
  to: number | undefined;
  none: string;
  onJump: (to: number | undefined) => void;
  children: string;
}) {
  return (
    <Action
      kind="ghost"
      size="bar"
      iconOnly
      icon={icon}
      reason={to === undefined ? none : undefined}
      onClick={() => onJump(to)}
    >
      {children}
    </Action>
  );
}
