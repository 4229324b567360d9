import { kept } from "./use-moment";

/** What a slider covers, in milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/** A part of the past of this length: the last one where the moment is in it, else around the moment. */
export function spanAround(moment: number, length: number, now: number, earliest: number | undefined): Span {
  const begin = Math.max(now - kept, Math.min(earliest ?? now - kept, moment));
  const last = { from: Math.max(begin, now - length), to: now };
  if (moment >= last.from) return last;
  const from = Math.max(begin, moment - length / 2);
  return { from, to: Math.min(now, from + length) };
}

const steps = 288;
const shortest = 60_000;

/** How far a key moves the slider. */
export function stepOf({ from, to }: Span): number {
  return Math.max(shortest, Math.round((to - from) / steps / shortest) * shortest);
}
