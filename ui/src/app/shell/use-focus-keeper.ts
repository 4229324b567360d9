import { useEffect } from "react";

/** Layers take the focus for themselves when they open; only after that is it lost. */
const settle = 60;

/**
 * Puts the focus back into the page when what had it was removed: after a page was left, a dialog closed or a row was
 * deleted. Otherwise it falls to the body, and who uses a keyboard or a screen reader begins at the top again.
 */
export function useFocusKeeper(): void {
  useEffect(() => {
    let last: Element | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onFocus = (event: FocusEvent) => (last = event.target as Element);
    const isLost = () => document.activeElement === document.body && last !== null && !isReachable(last);
    const check = () => {
      if (!isLost()) return;
      clearTimeout(timer);
      timer = setTimeout(() => isLost() && restore(), settle);
    };
    const observer = new MutationObserver(check);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", onFocus);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
      document.removeEventListener("focusin", onFocus);
    };
  }, []);
}

function isReachable(element: Element): boolean {
  return element.isConnected && element.closest("[inert]") === null;
}

function restore(): void {
  const layers = document.querySelectorAll<HTMLElement>("[role=dialog]");
  const target = layers[layers.length - 1] ?? document.getElementById("content");
  if (target && !target.hasAttribute("tabindex")) target.tabIndex = -1;
  target?.focus({ preventScroll: true });
}
