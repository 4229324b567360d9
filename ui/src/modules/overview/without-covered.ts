import type { AttentionItem } from "@/module";
import { rank } from "./worst-first";

/** A line of "needs attention" with the number of lines about the same that it stands for. */
export interface ShownItem extends AttentionItem {
  covered?: number;
}

/**
 * Leaves out lines whose objects another line covers, every one of them. The line that stays is as severe as the worst
 * that it stands for.
 */
export function withoutCovered(items: readonly AttentionItem[]): ShownItem[] {
  const shown: ShownItem[] = [];
  const stands = new Map<string, ShownItem>();
  for (const item of items.filter(({ covers }) => covers)) {
    const one = { ...item };
    shown.push(one);
    for (const id of item.covers ?? []) stands.set(id, one);
  }
  for (const item of items.filter(({ covers }) => !covers)) {
    const by = coveringOf(item, stands);
    for (const one of by) {
      one.covered = (one.covered ?? 0) + 1;
      if (rank[item.severity] < rank[one.severity]) one.severity = item.severity;
    }
    if (by.size === 0) shown.push(item);
  }
  return shown;
}

/** The lines that cover all objects of another; none where one object is missing, or is not known. */
function coveringOf({ about, count }: AttentionItem, stands: Map<string, ShownItem>): Set<ShownItem> {
  if (!about || about.length === 0 || about.length < (count ?? 1)) return new Set();
  const by = about.map((id) => stands.get(id));
  return by.every((one) => one !== undefined) ? new Set(by) : new Set();
}
