import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/** A new page begins at its content. Tabs of the same page keep the focus where it is. */
export function usePageFocus(): void {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    const content = document.getElementById("content");
    const focused = document.activeElement;
    const inside = content !== null && focused !== content && content.contains(focused);
    const layer = focused?.closest("[role=dialog]");
    if (!inside && !layer) content?.focus({ preventScroll: true });
  }, [pathname]);
}
