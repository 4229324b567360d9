import { useCallback, useState } from "react";
import type { AttentionItem, OverviewPart, UiModule } from "@/module";
import { LaterParts } from "./later-parts";
import { OverviewView } from "./overview-view";
import { withoutCovered } from "./without-covered";
import { worstFirst } from "./worst-first";

/**
 * Asks every part for its lines. The list of parts never changes while this is mounted, so their hooks keep their
 * order.
 */
export function OverviewParts({
  parts,
  later,
  unseen,
  setupOpen,
}: {
  parts: { name: string; part: OverviewPart }[];
  later: readonly UiModule[];
  /** Names of what the account may not see: nothing can be said about it. */
  unseen: string[];
  setupOpen: boolean;
}) {
  const [told, setTold] = useState<Record<string, AttentionItem[]>>({});
  const onLines = useCallback(
    (name: string, lines: AttentionItem[]) => setTold((before) => ({ ...before, [name]: lines })),
    [],
  );
  const lines = [...parts.flatMap(({ part }) => part.useAttention?.() ?? []), ...Object.values(told).flat()];
  const steps = parts
    .map(({ part }) => part.useFirstStep?.())
    .filter((step) => step !== undefined)
    .sort((a, b) => a.order - b.order);
  return (
    <>
      <OverviewView
        parts={parts}
        attention={worstFirst(withoutCovered(lines))}
        asking={later.some(({ name }) => told[name] === undefined)}
        unseen={unseen}
        steps={steps}
        setupOpen={setupOpen}
      />
      {later.length > 0 && <LaterParts later={later} onLines={onLines} />}
    </>
  );
}
