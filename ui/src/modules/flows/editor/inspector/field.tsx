import { useEffect, useRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useDrawing, useEditor } from "../editor-context";
import { isOfField, problemsOfBlock, problemsOfEdge, valueAt, type Problem } from "../problems/problems";
import { useProblemText } from "../problems/problem-words";
import classes from "./form.module.css";

/**
 * The error of one form field, in words that name the value, or undefined. What is only warned of is no fault of the
 * field; what is still to be filled in is one only after somebody asked what keeps the draft from running.
 */
export function useFieldProblem(owner: { block: string } | { edge: number }): (field: string) => string | undefined {
  const { problems, store } = useEditor();
  const asked = useStore(store, (state) => state.asked);
  const drawing = useDrawing();
  const { t } = useTranslation("flows");
  const words = useProblemText();
  const own: Problem[] =
    "block" in owner ? problemsOfBlock(problems, owner.block) : problemsOfEdge(problems, owner.edge);
  return (field) => {
    const shown = ({ severity }: Problem) => severity === "error" || (severity === "missing" && asked);
    const found = own.find((problem) => shown(problem) && isOfField(problem.place!.field, field));
    const value = found && found.place!.field !== field ? valueAt(drawing, found.path) : undefined;
    return found && (typeof value === "string" ? t("problems.ofValue", { value, text: words(found) }) : words(found));
  };
}

/** Focuses the field that a problem points at, once for each call. */
export function FieldCalls({ children, className }: { children: ReactNode; className?: string }) {
  const { store } = useEditor();
  const call = useStore(store, (state) => state.call);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!call) return;
    const timer = setTimeout(() => {
      const fields = [...(frame.current?.querySelectorAll<HTMLElement>("[data-field]") ?? [])];
      const called = fields.filter(
        (field) => isOfField(call.path, field.dataset.field!) || call.path.startsWith(`${field.dataset.field!}.`),
      );
      const found = called.sort((a, b) => b.dataset.field!.length - a.dataset.field!.length)[0] ?? fields[0];
      if (!found) return;
      const input = found.matches("input, button, textarea")
        ? found
        : found.querySelector<HTMLElement>("input, button, textarea");
      input?.focus();
      found.scrollIntoView({ block: "center" });
      store.getState().callField(undefined);
    }, 60);
    return () => clearTimeout(timer);
  }, [call, store]);
  return (
    <div ref={frame} className={className}>
      {children}
    </div>
  );
}

/** A quiet heading inside a form. */
export function FormSection({ title, right, children }: { title: string; right?: ReactNode; children: ReactNode }) {
  return (
    <fieldset className={classes.section}>
      <legend className={classes.legend}>{title}</legend>
      {right !== undefined && <div className={classes.sectionRight}>{right}</div>}
      {children}
    </fieldset>
  );
}
