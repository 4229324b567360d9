import { IconPlayerPause, IconPlayerPlay, IconPlayerSkipBack, IconPlayerSkipForward, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { CopyButton } from "@/components/action/copy-button";
import { useFormat } from "@/text/use-format";
import type { Apply } from "../shared/api";
import { momentsOf } from "./apply-at";
import classes from "./replay.module.css";
import type { Playback } from "./use-replay";

/** Keys on the slider go from change to change, forward or back. */
const arrows: Record<string, boolean> = { ArrowRight: true, ArrowUp: true, ArrowLeft: false, ArrowDown: false };

/** Plays an apply again: on and off, a slider with a mark where a stage began or ended, and a link to this moment. */
export function ReplayBar({ apply, playback }: { apply: Apply; playback: Playback }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const { second = 0, length, playing, speed } = playback;
  const digits = length < 3 ? 2 : 1;
  const clock = format.clock(Date.parse(apply.started_at) + second * 1000, true);
  const said = t("replay.at", {
    time: clock,
    second: format.number(second, digits),
    length: format.number(length, digits),
  });
  return (
    <div className={classes.bar} role="group" aria-label={t("replay.title")}>
      <Action
        kind="default"
        size="bar"
        iconOnly
        icon={playing ? IconPlayerPause : IconPlayerPlay}
        onClick={playback.toggle}
      >
        {t(playing ? "replay.pause" : "replay.play")}
      </Action>
      <Action kind="ghost" size="bar" iconOnly icon={IconPlayerSkipBack} onClick={() => playback.step(false)}>
        {t("replay.back")}
      </Action>
      <Action kind="ghost" size="bar" iconOnly icon={IconPlayerSkipForward} onClick={() => playback.step(true)}>
        {t("replay.next")}
      </Action>
      <span className={classes.slider}>
        <input
          type="range"
          min={0}
          max={length}
          step="any"
          value={second}
          aria-label={t("replay.moment")}
          aria-valuetext={said}
          onChange={(event) => playback.drag(Number(event.target.value))}
          onPointerUp={(event) => playback.seek(Number(event.currentTarget.value))}
          onKeyDown={(event) => {
            if (!(event.key in arrows)) return;
            event.preventDefault();
            playback.step(arrows[event.key]!);
          }}
        />
        {momentsOf(apply).map((one) => (
          <i key={one} aria-hidden style={{ left: `${(one / length) * 100}%` }} />
        ))}
      </span>
      <span className={`${classes.said} num`}>
        {said}
        {speed !== 1 && <span className="dim"> {t("replay.speed", { value: format.number(speed, 2) })}</span>}
      </span>
      <span className={classes.ends}>
        <CopyButton value={location.href} what={t("replay.link")} />
        <Action kind="ghost" size="bar" iconOnly icon={IconX} onClick={playback.close}>
          {t("replay.close")}
        </Action>
      </span>
    </div>
  );
}
