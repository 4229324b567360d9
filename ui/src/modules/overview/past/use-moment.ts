import { z } from "zod";
import { serverNow } from "@/api/server-clock";
import { useSearchState } from "@/components/screen/use-search";

const search = z.object({ at: z.iso.datetime().optional().catch(undefined) });

/** How far the past can be looked at, in milliseconds. */
export const kept = 30 * 86_400_000;
const margin = 60_000;

/** The moment of the past that the address asks for; undefined is now. */
export function useMoment(): [at: string | undefined, set: (at: number | undefined) => void] {
  const [{ at }, setSearch] = useSearchState(search);
  const set = (moment: number | undefined) =>
    setSearch({ at: moment === undefined ? undefined : new Date(within(moment)).toISOString() });
  return [at !== undefined && Date.parse(at) < serverNow() ? at : undefined, set];
}

/** Whole seconds that the panel still knows, and that are past. */
export function within(moment: number, now = serverNow()): number {
  const whole = Math.floor(moment / 1000) * 1000;
  return Math.max(now - kept + margin, Math.min(whole, now - 1000));
}
