import { withoutPrivateKeys, type Drawing } from "../../drawing/drawing";

/**
 * Work that the panel has not acknowledged yet is kept in the browser, so that a reload loses nothing but a private key
 * that was just typed.
 */
export interface KeptDraft {
  revision: number;
  drawing: Drawing;
}

const keyOf = (flowId: string) => `panel-draft-${flowId}`;

export function keepDraft(flowId: string, draft: KeptDraft): void {
  try {
    localStorage.setItem(keyOf(flowId), JSON.stringify({ ...draft, drawing: withoutPrivateKeys(draft.drawing) }));
  } catch {
    // A full storage only means that a reload before the next save loses the last second of work.
  }
}

export function keptDraft(flowId: string): KeptDraft | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(flowId)) ?? "null") as KeptDraft | null;
    return kept && Array.isArray(kept.drawing?.nodes) && Array.isArray(kept.drawing?.edges) ? kept : undefined;
  } catch {
    return undefined;
  }
}

export function dropKeptDraft(flowId: string): void {
  localStorage.removeItem(keyOf(flowId));
}
