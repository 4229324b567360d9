import { useSyncExternalStore } from "react";
import { serverClock, serverNow } from "@/api/server-clock";

let now = serverNow();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) now = serverNow();
  timer ??= setInterval(tick, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  if (document.hidden) return;
  now = serverNow();
  listeners.forEach((listener) => listener());
}

serverClock.subscribe(tick);

/** The current moment by the panel's clock, told once a second to all who show it by one shared clock. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** Whether a moment has passed. Draws again only when that changes, not every second. */
export function useAfter(moment: number | undefined): boolean {
  return useSyncExternalStore(subscribe, () => moment !== undefined && now >= moment);
}
