import type { AttentionItem } from "@/module";

/** The worst is the smallest. */
export const rank = { crit: 0, warn: 1, info: 2 };

/** Critical before warning before remark; within one, the newest first. */
export function worstFirst<Item extends AttentionItem>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => rank[a.severity] - rank[b.severity] || moment(b) - moment(a));
}

function moment(item: AttentionItem): number {
  return item.since ? Date.parse(item.since) : 0;
}
