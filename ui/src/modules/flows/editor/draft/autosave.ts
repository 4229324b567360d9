import { createStore, type StoreApi } from "zustand/vanilla";
import { isProblem } from "@/api/problem";
import type { Draft } from "../../shared/api";
import { withoutPrivateKeys, type Drawing } from "../../drawing/drawing";
import type { DraftStore } from "./draft-store";
import { dropKeptDraft, keepDraft, keptDraft } from "./stored-draft";
import { nextSaving, sameDrawing, type RemoteDraft, type Saving, type SavingEvent } from "./saving";

export const saveAfter = 800;
const tryAgainAfter = 5_000;

export interface Autosave {
  state: StoreApi<Saving>;
  /** The panel's draft arrived, for the first time or because somebody saved. */
  receive: (draft: RemoteDraft) => void;
  /**
   * Saves at once what waits; used before compiling and when the page is left. The version is what was loaded into the
   * draft.
   */
  flush: (version?: string) => Promise<void>;
  takeTheirs: () => void;
  keepMine: () => void;
  stop: () => void;
}

interface Panel {
  save: (flowId: string, revision: number, drawing: Drawing, version?: string) => Promise<Draft>;
  read: (flowId: string) => Promise<Draft>;
  onStored?: (draft: Draft) => void;
}

/** Saves a draft shortly after each edit, one call at a time, with the revision that the edit was made on. */
export function createAutosave(flowId: string, store: DraftStore, panel: Panel): Autosave {
  const state = createStore<Saving>(() => ({ kind: "loading" }));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let flight: Promise<void> | undefined;
  let adopting = false;

  const drawing = () => store.getState().drawing;
  const dispatch = (event: SavingEvent) => state.setState(nextSaving(state.getState(), event), true);
  const adopt = (next: Drawing) => {
    if (sameDrawing(next, drawing())) return;
    adopting = true;
    store.getState().adopt(next);
    adopting = false;
  };
  const later = (after: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void send(), after);
  };
  const keep = () => {
    const now = state.getState();
    if (now.kind !== "loading") keepDraft(flowId, { revision: now.revision, drawing: drawing() });
  };

  async function send(version?: string): Promise<void> {
    const now = state.getState();
    if (now.kind !== "unsaved" && now.kind !== "offline" && now.kind !== "refused") return;
    const sent = drawing();
    dispatch({ type: "sent", drawing: sent });
    flight = panel.save(flowId, now.revision, sent, version).then(accept, refuse);
    await flight;
  }

  function accept(draft: Draft): void {
    dispatch({ type: "stored", draft, current: drawing() });
    panel.onStored?.(draft);
    if (state.getState().kind === "saved") {
      // A private key went in; from now on the drawing names it by its public half.
      if (withoutPrivateKeys(drawing()) !== drawing()) adopt(draft.graph);
      return dropKeptDraft(flowId);
    }
    keep();
    later(saveAfter);
  }

  async function refuse(error: unknown): Promise<void> {
    if (isProblem(error, "revision_conflict")) {
      const theirs = await panel.read(flowId).catch(() => undefined);
      if (theirs) return dispatch({ type: "conflicted", theirs });
    }
    if (isProblem(error) && !error.canRetry && !error.endsSession) return dispatch({ type: "refused", error });
    dispatch({ type: "unreachable" });
    later(tryAgainAfter);
  }

  const unsubscribe = store.subscribe((now, before) => {
    if (now.drawing === before.drawing || adopting || state.getState().kind === "loading") return;
    dispatch({ type: "edited" });
    keep();
    if (state.getState().kind === "unsaved") later(saveAfter);
  });

  return {
    state,
    receive: (draft) => {
      const first = state.getState().kind === "loading";
      const kept = first ? keptDraft(flowId) : undefined;
      const before = state.getState();
      dispatch(first ? { type: "loaded", draft, kept } : { type: "seen", draft, current: drawing() });
      const after = state.getState();
      if (after.kind === "saved" && after !== before) {
        adopt(draft.graph);
        dropKeptDraft(flowId);
      } else if (first && kept) {
        adopt(kept.drawing);
        if (after.kind === "unsaved") later(0);
      }
    },
    flush: async (version) => {
      clearTimeout(timer);
      await flight;
      await send(version);
    },
    takeTheirs: () => {
      const now = state.getState();
      if (now.kind !== "conflict") return;
      dispatch({ type: "tookTheirs", draft: now.theirs });
      adopt(now.theirs.graph);
      dropKeptDraft(flowId);
    },
    keepMine: () => {
      dispatch({ type: "keptMine" });
      keep();
      void send();
    },
    stop: () => {
      clearTimeout(timer);
      unsubscribe();
    },
  };
}
