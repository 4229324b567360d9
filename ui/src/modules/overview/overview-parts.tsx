import type { OverviewPart } from "@/module";
import { OverviewView } from "./overview-view";
import { withoutCovered } from "./without-covered";
import { worstFirst } from "./worst-first";

/**
 * Asks every part for its lines. The list of parts never changes while this is mounted, so their hooks keep their
 * order.
 */
export function OverviewParts({
  parts,
  unseen,
  setupOpen,
}: {
  parts: { name: string; part: OverviewPart }[];
  /** Names of what the account may not see: nothing can be said about it. */
  unseen: string[];
  setupOpen: boolean;
}) {
  const attention = worstFirst(withoutCovered(parts.flatMap(({ part }) => part.useAttention?.() ?? [])));
  const steps = parts
    .map(({ part }) => part.useFirstStep?.())
    .filter((step) => step !== undefined)
    .sort((a, b) => a.order - b.order);
  return <OverviewView parts={parts} attention={attention} unseen={unseen} steps={steps} setupOpen={setupOpen} />;
}
