import { createStore } from "zustand";

/** How far the panel's clock is ahead of the browser's, in milliseconds. */
export const serverClock = createStore<{ ahead: number }>(() => ({ ahead: 0 }));

/** A Date header has whole seconds and an answer is on its way for a while: less than this is no difference. */
const tolerated = 2_000;

/** Learns the panel's time from an answer or a frame that has just come; an unreadable one says nothing. */
export function learnServerTime(moment: string | null): void {
  const ahead = moment === null ? Number.NaN : Date.parse(moment) - Date.now();
  if (Number.isNaN(ahead)) return;
  if (Math.abs(ahead - serverClock.getState().ahead) < tolerated) return;
  serverClock.setState({ ahead: Math.abs(ahead) < tolerated ? 0 : ahead });
}

/** The current moment by the panel's clock: moments of the panel are compared with it, never with the browser's. */
export function serverNow(): number {
  return Date.now() + serverClock.getState().ahead;
}
