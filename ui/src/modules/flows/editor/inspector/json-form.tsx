import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Action } from "@/components/action/action";
import type { Block } from "../../drawing/drawing";
import { changeBlock } from "../../drawing/drawing-edits";
import { useEditor } from "../editor-context";
import classes from "./inspector.module.css";
import { readBlock, type JsonFault } from "./json-shape";

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent-text)" },
  { tag: tags.string, color: "var(--text-1)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
]);

const look = EditorView.theme({
  "&": { fontSize: "12px", color: "var(--text-2)" },
  ".cm-content": { fontFamily: "var(--font-mono)", caretColor: "var(--text-1)", padding: "8px 0" },
  "&.cm-focused": { outline: "none" },
  ".cm-gutters": { background: "transparent", border: "0", color: "var(--text-3)" },
  ".cm-cursor": { borderLeftColor: "var(--text-1)" },
});

/** A block as JSON. What cannot be read is said and changes nothing. */
export default function JsonForm({ block }: { block: Block }) {
  const { t } = useTranslation("flows");
  const { store, closed } = useEditor();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const [text, setText] = useState(() => JSON.stringify(block, null, 2));
  const current = useStore(store, (state) => state.drawing.nodes.find((item) => item.key === block.key));
  const result = readBlock(text, block);
  const dirty = text !== JSON.stringify(current, null, 2);

  useEffect(() => {
    const made = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: JSON.stringify(block, null, 2),
        extensions: [
          lineNumbers(),
          json(),
          bracketMatching(),
          syntaxHighlighting(colours),
          look,
          keymap.of([]),
          EditorView.lineWrapping,
          EditorState.readOnly.of(closed !== undefined),
          EditorView.contentAttributes.of({ "aria-label": t("json.label"), tabindex: "0" }),
          EditorView.cspNonce.of(document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ""),
          EditorView.updateListener.of((update) => update.docChanged && setText(update.state.doc.toString())),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
    // The editor is made once for a block; what is typed in it is the state from then on.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [block.key]);

  return (
    <div className={classes.json}>
      <div ref={host} className={classes.editor} />
      {"faults" in result && (
        <ul className={classes.jsonFaults} role="alert">
          {result.faults.map((fault, index) => (
            <li key={index}>{faultText(fault, t)}</li>
          ))}
        </ul>
      )}
      {dirty && closed === undefined && (
        <div>
          <Action
            kind="default"
            reason={"faults" in result ? t("json.faulty") : undefined}
            onClick={() =>
              "block" in result &&
              store.getState().edit((drawing) => changeBlock(drawing, block.key, () => result.block))
            }
          >
            {t("json.take")}
          </Action>
        </div>
      )}
    </div>
  );
}

function faultText(fault: JsonFault, t: (key: string, values?: Record<string, string>) => string): string {
  return t(`json.${fault.kind}`, { field: "field" in fault ? fault.field : "" });
}
