import { useSyncExternalStore } from "react";

interface Watched {
  list: MediaQueryList;
  subscribe: (listener: () => void) => () => void;
}

const watched = new Map<string, Watched>();

/** One watch of the browser for each width, however many rows of a list ask. */
function watch(query: string): Watched {
  let known = watched.get(query);
  if (!known) {
    const list = window.matchMedia(query);
    const subscribe = (listener: () => void) => {
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    };
    watched.set(query, (known = { list, subscribe }));
  }
  return known;
}

function useWidth(query: string): boolean {
  const { list, subscribe } = watch(query);
  return useSyncExternalStore(subscribe, () => list.matches);
}

/** Under 1100 px: navigation as a rail, so that tables and the editor keep their room. */
export function useTablet(): boolean {
  return useWidth("(max-width: 1099px)");
}

/** Under 768 px: drawer, two-line cards, sheets. */
export function usePhone(): boolean {
  return useWidth("(max-width: 767px)");
}
