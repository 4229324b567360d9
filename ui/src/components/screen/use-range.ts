import { z } from "zod";
import { useSearchState } from "./use-search";

/** How far back a page looks, in seconds. */
export const ranges = { "1h": 3_600, "24h": 86_400, "7d": 604_800, "30d": 2_592_000 } as const;

export type Range = keyof typeof ranges;

const names = Object.keys(ranges) as [Range, ...Range[]];
const search = z.object({ range: z.enum(names).optional().catch(undefined) });

/** The range that the address says. */
export function useRange(usual: Range): [Range, (range: Range) => void] {
  const [{ range }, set] = useSearchState(search);
  return [range ?? usual, (next) => set({ range: next })];
}
