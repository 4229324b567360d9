import { useEffect, useRef } from "react";

/** Whether a key was pressed while typing somewhere or in an open layer; a tick takes no letters. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  return Boolean(
    target?.closest(
      "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], " +
        "[role=dialog], [role=menu], [role=listbox]",
    ),
  );
}

/** A single key, by its place on the keyboard so that a Russian layout works too; never while typing. */
export function useShortcut(code: string, act: () => void, { ctrl = false, shift = false } = {}): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const wanted =
        event.code === code && (event.ctrlKey || event.metaKey) === ctrl && event.shiftKey === shift && !event.altKey;
      if (!wanted || isTyping(event)) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [code, ctrl, shift]);
}
