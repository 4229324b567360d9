import { useEffect, useRef, type ReactNode } from "react";
import { useStore } from "zustand";
import { useEditor } from "./editor-context";
import { isOfField, problemsOfBlock, problemsOfEdge, type Problem } from "./problems";
import { useProblemText } from "./problem-words";
import classes from "./form.module.css";

/** The error of one form field, in words, or undefined. What is only warned of is no fault of the field. */
export function useFieldProblem(owner: { block: string } | { edge: number }): (field: string) => string | undefined {
  const { problems } = useEditor();
  const words = useProblemText();
  const own: Problem[] = "block" in owner ? problemsOfBlock(problems, owner.block) : problemsOfEdge(problems, owner.edge);
  return (field) => {
    const found = own.find((problem) => problem.severity === "error" && isOfField(problem.place!.field, field));
    return found && words(found);
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
      const called = fields.filter((field) => isOfField(call.path, field.dataset.field!) || call.path.startsWith(`${field.dataset.field!}.`));
      const found = called.sort((a, b) => b.dataset.field!.length - a.dataset.field!.length)[0] ?? fields[0];
      if (!found) return;
      const input = found.matches("input, button, textarea") ? found : found.querySelector<HTMLElement>("input, button, textarea");
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
