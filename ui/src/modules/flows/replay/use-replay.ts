import { useEffect, useState } from "react";
import { z } from "zod";
import { useSearchState } from "@/components/screen/use-search";
import type { Apply } from "../shared/api";
import { lengthOf, momentsOf } from "./apply-at";

const search = z.object({ at: z.coerce.number().min(0).optional().catch(undefined) });

/** How many seconds a replay takes at least and at most: what took less is slowed down, what took more is sped up. */
const shortest = 5;
const longest = 20;
const tick = 100;

/** A replay of an apply; the second that it stands at is kept in the address, so that it can be handed on. */
export interface Playback {
  /** Seconds since the begin of the apply; undefined while the page shows how it ended. */
  second: number | undefined;
  length: number;
  playing: boolean;
  /** How much faster than it was; below one where it is slowed down. */
  speed: number;
  open: () => void;
  close: () => void;
  toggle: () => void;
  /** Shows a second while it is dragged. */
  drag: (second: number) => void;
  /** Shows a second and keeps it in the address. */
  seek: (second: number) => void;
  /** Goes to where the next or the last stage began or ended. */
  step: (forward: boolean) => void;
}

export function usePlayback(apply: Apply): Playback {
  const [{ at }, change] = useSearchState(search);
  const [live, setLive] = useState<number>();
  const [playing, setPlaying] = useState(false);
  const length = lengthOf(apply);
  const second = at === undefined ? undefined : Math.min(live ?? at, length);
  const speed = length / Math.min(Math.max(length, shortest), longest);

  const seek = (to: number) => {
    const kept = Math.round(Math.min(Math.max(to, 0), length) * 1000) / 1000;
    setPlaying(false);
    setLive(kept);
    change({ at: kept });
  };
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => setLive((old = 0) => Math.min(length, old + (tick / 1000) * speed)), tick);
    return () => clearInterval(timer);
  }, [playing, length, speed]);
  useEffect(() => {
    if (!playing || live === undefined || live < length) return;
    setPlaying(false);
    change({ at: length });
  }, [playing, live, length, change]);

  const begin = () => {
    const from = second === undefined || second >= length ? 0 : second;
    setLive(from);
    change({ at: from });
    setPlaying(true);
  };
  return {
    second,
    length,
    playing,
    speed,
    open: begin,
    close: () => {
      setPlaying(false);
      setLive(undefined);
      change({ at: undefined });
    },
    toggle: () => (playing ? seek(second ?? 0) : begin()),
    drag: (to) => {
      setPlaying(false);
      setLive(to);
    },
    seek,
    step: (forward) => {
      const moments = momentsOf(apply);
      const now = second ?? 0;
      const next = forward ? moments.find((one) => one > now) : moments.findLast((one) => one < now);
      seek(next ?? (forward ? length : 0));
    },
  };
}
