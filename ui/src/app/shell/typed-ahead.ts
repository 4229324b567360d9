/** What was typed before a field had the focus. */
export interface TypedAhead {
  text: string;
  entered: boolean;
}

export interface KeyCatcher {
  /** Gives what was typed and catches no more. */
  take: () => TypedAhead;
}

/** Longer than any palette takes; whoever types then means something else. */
const longest = 5_000;

/**
 * Catches the keys between the one that opens the palette and the moment its field has the focus, so that nobody has to
 * wait for the picture: on a busy machine that takes longer than the first letters.
 */
export function catchKeys(onEscape: () => void): KeyCatcher {
  let text = "";
  let entered = false;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.isComposing) return;
    const printable = event.key.length === 1;
    if (!printable && !["Backspace", "Enter", "Tab", "Escape"].includes(event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key === "Escape") {
      stop();
      onEscape();
    } else if (event.key === "Enter") {
      entered = true;
    } else if (event.key === "Backspace") {
      text = text.slice(0, -1);
    } else if (printable && !entered) {
      text += event.key;
    }
  };
  const stop = () => {
    clearTimeout(timer);
    window.removeEventListener("keydown", onKeyDown, true);
    window.removeEventListener("focusin", stop);
  };
  const timer = setTimeout(stop, longest);
  window.addEventListener("keydown", onKeyDown, true);
  // The field takes what was typed when it gets the focus; when something else gets it, keys belong there.
  window.addEventListener("focusin", stop);
  return {
    take: () => {
      stop();
      return { text, entered };
    },
  };
}
