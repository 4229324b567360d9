import { useReactFlow } from "@xyflow/react";
import { useEffect } from "react";
import { duplicate, paste, place, removeBlocks, removeEdge } from "../../drawing/drawing-edits";
import type { Drawing } from "../../drawing/drawing";
import type { DraftStore } from "../draft/draft-store";
import { useEditor } from "../editor-context";
import { layout, positionsOf } from "../../drawing/layout";
import { isTyping } from "../use-shortcut";

let copied: Drawing | undefined;

/** Removes what is chosen: the edge where one is, else the blocks. */
export function removeChosen(store: DraftStore): void {
  const { chosen, edit, choose } = store.getState();
  if (chosen.edge !== undefined) edit((now) => removeEdge(now, chosen.edge!));
  else edit((now) => removeBlocks(now, chosen.blocks));
  choose({ blocks: [] });
}

/** Keys of the canvas, by their place on the keyboard so that a Russian layout works too. */
export function useCanvasKeys(editable: boolean): void {
  const { store } = useEditor();
  const { fitView } = useReactFlow();
  useEffect(() => {
    const { edit, choose } = store.getState();
    const fit = () => void fitView({ padding: 0.12, maxZoom: 1, duration: 200 });
    const withCtrl: Record<string, () => void> = {
      KeyD: () => {
        const { drawing, chosen } = store.getState();
        const result = duplicate(drawing, chosen.blocks, positionsOf(drawing));
        edit(() => result.drawing);
        choose({ blocks: result.keys });
      },
      KeyC: () => {
        const { drawing, chosen } = store.getState();
        const positions = positionsOf(drawing);
        copied = {
          nodes: drawing.nodes
            .filter((block) => chosen.blocks.includes(block.key))
            .map((block) => ({ ...block, position: positions[block.key] })),
          edges: drawing.edges.filter((edge) => chosen.blocks.includes(edge.from) && chosen.blocks.includes(edge.to)),
        };
      },
      KeyV: () => {
        if (!copied) return;
        const result = paste(store.getState().drawing, copied);
        edit(() => result.drawing);
        choose({ blocks: result.keys });
      },
      KeyA: () => choose({ blocks: store.getState().drawing.nodes.map((block) => block.key) }),
    };
    const alone: Record<string, () => void> = {
      Delete: () => removeChosen(store),
      Backspace: () => removeChosen(store),
      KeyL: () => {
        edit((now) => place(now, layout(now)));
        setTimeout(fit, 50);
      },
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (isTyping(event) || event.altKey) return;
      const ctrl = event.ctrlKey || event.metaKey;
      if (!ctrl && !event.shiftKey && event.code === "KeyF") return fit();
      if (!ctrl && event.code === "Escape") return choose({ blocks: [] });
      const act = editable ? (ctrl ? withCtrl : alone)[event.code] : undefined;
      if (!act || event.shiftKey) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [store, fitView, editable]);
}
