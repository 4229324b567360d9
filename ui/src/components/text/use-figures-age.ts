import { useFrame } from "@/api/figures";
import { useAfter, useNow } from "./use-now";

const missed = 2;

interface FiguresAge {
  /** When the newest frame came, in milliseconds of the panel's clock. */
  at: number;
  seconds: number;
  /** Two frames did not come: the figures are no longer what is. */
  stopped: boolean;
}

/** How old the figures are that move with the stream; undefined on a page that shows none. */
export function useFiguresAge(): FiguresAge | undefined {
  const at = useFrame((state) => state.at);
  const interval = useFrame((state) => state.interval);
  const stopped = useAfter(at === undefined ? undefined : at + missed * interval * 1000);
  const now = useNow();
  return at === undefined ? undefined : { at, seconds: Math.max(0, now - at) / 1000, stopped };
}
