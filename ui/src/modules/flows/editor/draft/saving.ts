import type { Drawing } from "../../drawing/drawing";

/** How the draft on the screen relates to the one that the panel keeps. */
export type Saving =
  | { kind: "loading" }
  | { kind: "saved"; at: string | undefined; revision: number }
  | { kind: "unsaved"; revision: number }
  | { kind: "saving"; revision: number; sent: Drawing }
  | { kind: "offline"; revision: number }
  | { kind: "refused"; revision: number; error: unknown }
  | { kind: "conflict"; revision: number; theirs: RemoteDraft };

export interface RemoteDraft {
  revision: number;
  graph: Drawing;
  updated_at: string;
  updated_by: string;
}

export type SavingEvent =
  | { type: "loaded"; draft: RemoteDraft; kept?: { revision: number; drawing: Drawing } }
  | { type: "edited" }
  | { type: "sent"; drawing: Drawing }
  | { type: "stored"; draft: Pick<RemoteDraft, "revision" | "updated_at">; current: Drawing }
  | { type: "unreachable" }
  | { type: "refused"; error: unknown }
  | { type: "conflicted"; theirs: RemoteDraft }
  | { type: "seen"; draft: RemoteDraft; current: Drawing }
  | { type: "tookTheirs"; draft: RemoteDraft }
  | { type: "keptMine" };

/** The one place that decides what a save, an answer and somebody else's save mean. */
export function nextSaving(state: Saving, event: SavingEvent): Saving {
  switch (event.type) {
    case "loaded":
      return loaded(event);
    case "edited":
      return edited(state);
    case "sent":
      return state.kind === "loading" ? state : { kind: "saving", revision: state.revision, sent: event.drawing };
    case "stored":
      return stored(state, event);
    case "unreachable":
      return state.kind === "saving" ? { kind: "offline", revision: state.revision } : state;
    case "refused":
      return state.kind === "saving" ? { kind: "refused", revision: state.revision, error: event.error } : state;
    case "conflicted":
      return state.kind === "loading" ? state : { kind: "conflict", revision: state.revision, theirs: event.theirs };
    case "seen":
      return seen(state, event);
    case "tookTheirs":
      return { kind: "saved", at: event.draft.updated_at, revision: event.draft.revision };
    case "keptMine":
      return state.kind === "conflict" ? { kind: "unsaved", revision: state.theirs.revision } : state;
  }
}

function loaded({ draft, kept }: Extract<SavingEvent, { type: "loaded" }>): Saving {
  if (!kept || sameDrawing(kept.drawing, draft.graph))
    return { kind: "saved", at: draft.updated_at, revision: draft.revision };
  if (kept.revision === draft.revision) return { kind: "unsaved", revision: draft.revision };
  return { kind: "conflict", revision: kept.revision, theirs: draft };
}

function edited(state: Saving): Saving {
  if (state.kind === "saved" || state.kind === "refused") return { kind: "unsaved", revision: state.revision };
  return state;
}

function stored(state: Saving, { draft, current }: Extract<SavingEvent, { type: "stored" }>): Saving {
  if (state.kind !== "saving") return state;
  if (state.sent !== current) return { kind: "unsaved", revision: draft.revision };
  return { kind: "saved", at: draft.updated_at, revision: draft.revision };
}

// Somebody else's save is taken over quietly while nothing of ours is waiting.
function seen(state: Saving, { draft, current }: Extract<SavingEvent, { type: "seen" }>): Saving {
  if (state.kind === "loading" || state.kind === "conflict" || state.kind === "saving") return state;
  if (draft.revision <= state.revision) return state;
  if (state.kind === "saved" || sameDrawing(draft.graph, current))
    return { kind: "saved", at: draft.updated_at, revision: draft.revision };
  return { kind: "conflict", revision: state.revision, theirs: draft };
}

/** Two drawings that the panel would store the same way; empty values do not count. */
export function sameDrawing(a: Drawing, b: Drawing): boolean {
  return stable(a) === stable(b);
}

/** JSON with sorted keys and without empty values. */
export function stable(value: unknown): string {
  return JSON.stringify(pruned(value) ?? null);
}

function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => pruned(item) ?? {});
  if (value === null || typeof value !== "object")
    return value === "" || value === 0 ? undefined : (value ?? undefined);
  const entries = Object.entries(value)
    .map(([key, item]) => [key, pruned(item)] as const)
    .filter(([, item]) => item !== undefined)
    .sort(([x], [y]) => x.localeCompare(y));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
