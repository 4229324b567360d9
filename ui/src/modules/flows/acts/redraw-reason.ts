import { useTranslation } from "react-i18next";
import { Problem } from "@/api/problem";
import { problemText } from "@/text/problem-text";
import type { RedrawItem } from "../shared/redraw-api";

/** Reasons that have a sentence of their own; all others are refusals with the words of their problem. */
const own = [
  "nothing_to_change",
  "node_missing",
  "target_unchecked",
  "target_unsuitable",
  "agent_offline",
  "cancelled",
] as const;

/** Says why a flow is left out of a change of many drafts. */
export function useRedrawReason(): (item: RedrawItem) => string {
  const { t } = useTranslation("flows");
  return ({ code, error, blocks }) => {
    const nodes = [...new Set(blocks.map(({ node_name }) => node_name))].join(", ");
    const known = own.find((one) => one === code);
    if (known) return t(`redraw.because.${known}`, { nodes, error });
    return problemText(new Problem({ status: 409, code, detail: error }));
  };
}
