import type { OverviewPart } from "@/module";

/** What a module tells on the overview, one paragraph for each line of "needs attention". */
export function AttentionLines({ part: { useAttention } }: { part: Required<Pick<OverviewPart, "useAttention">> }) {
  return useAttention().map(({ id, severity, name, what, effect, act }) => (
    <p key={id}>{[severity, name, what, effect, act.path].filter(Boolean).join(" | ")}</p>
  ));
}
