import { temporal } from "zundo";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { emptyDrawing, type Drawing } from "../../drawing/drawing";

/** What is chosen on the screen: blocks, one edge, or the rules of a block. */
export interface Chosen {
  blocks: string[];
  /** Index of an edge; its rule is open in the form. */
  edge?: number;
  /** The rules of the chosen block rather than the block itself. */
  rules?: boolean;
}

/** A field that a problem points at; the form that has it takes the focus once. */
export interface FieldCall {
  path: string;
  at: number;
}

export interface DraftState {
  drawing: Drawing;
  chosen: Chosen;
  call: FieldCall | undefined;
  /** Somebody asked what keeps the draft from running: empty fields are errors from then on. */
  asked: boolean;
  edit: (change: (drawing: Drawing) => Drawing) => void;
  /** Replaces the drawing by what the panel has; undo does not lead back over it. */
  adopt: (drawing: Drawing) => void;
  choose: (chosen: Chosen) => void;
  callField: (path: string | undefined) => void;
  ask: () => void;
}

const steps = 50;

// Typing in one field is one step of undo, not one per key.
const sameStepWithin = 400;

export function createDraftStore(now: () => number = Date.now) {
  let last = 0;
  const store = createStore<DraftState>()(
    temporal(
      (set) => ({
        drawing: emptyDrawing,
        chosen: { blocks: [] },
        call: undefined,
        asked: false,
        edit: (change) =>
          set((state) => {
            const drawing = change(state.drawing);
            return drawing === state.drawing ? state : { drawing, chosen: stillThere(state.chosen, drawing) };
          }),
        adopt: (drawing) => set((state) => ({ drawing, chosen: stillThere(state.chosen, drawing) })),
        choose: (chosen) => set({ chosen }),
        ask: () => set({ asked: true }),
        callField: (path) => set({ call: path === undefined ? undefined : { path, at: now() } }),
      }),
      {
        limit: steps,
        partialize: (state) => ({ drawing: state.drawing }),
        equality: (past, current) => past.drawing === current.drawing,
        handleSet: (record) => (past, replace, current) => {
          const at = now();
          const continues = at - last < sameStepWithin && sameShape(past, current);
          last = at;
          if (!continues)
            (record as (past: unknown, replace: unknown, current: unknown) => void)(past, replace, current);
        },
      },
    ),
  );
  const adopt = store.getState().adopt;
  store.setState({
    adopt: (drawing) => {
      store.temporal.getState().pause();
      adopt(drawing);
      store.temporal.getState().resume();
      store.temporal.getState().clear();
    },
  });
  return store;
}

// Adding, removing and connecting are always steps of their own.
function sameShape(past: unknown, current: unknown): boolean {
  const [a, b] = [(past as { drawing: Drawing }).drawing, (current as { drawing: Drawing }).drawing];
  return a.nodes.length === b.nodes.length && a.edges.length === b.edges.length && a.nodes.length > 0;
}

function stillThere(chosen: Chosen, drawing: Drawing): Chosen {
  const blocks = chosen.blocks.filter((key) => drawing.nodes.some((block) => block.key === key));
  const edge = chosen.edge !== undefined && chosen.edge < drawing.edges.length ? chosen.edge : undefined;
  if (blocks.length === chosen.blocks.length && edge === chosen.edge) return chosen;
  return { blocks, edge, rules: blocks.length > 0 ? chosen.rules : undefined };
}

export type DraftStore = ReturnType<typeof createDraftStore>;

export function useUndo(store: DraftStore) {
  const past = useStore(store.temporal, (state) => state.pastStates.length);
  const future = useStore(store.temporal, (state) => state.futureStates.length);
  const { undo, redo } = store.temporal.getState();
  return { past, future, undo: () => undo(), redo: () => redo() };
}
