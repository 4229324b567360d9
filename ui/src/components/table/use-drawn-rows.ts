import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useDeferredValue, useEffect, useMemo, useState, type RefObject } from "react";

/** So many rows are simply all drawn, where the list asks for nothing else. */
const mostAtOnce = 100;

export interface DrawnRows {
  /** Indexes of the rows that are in the document. */
  indexes: number[];
  /** Pixels that stand for the rows above and below them. */
  above: number;
  below: number;
  reveal: (index: number) => void;
  measure?: (element: Element | null) => void;
}

/** So many rows are drawn above and below the window. */
const around = 6;

/**
 * Which of many rows are in the document: those in the window and some around it. The first ones are drawn with the
 * page; rows that come into sight later between what people do, so that a key or a click does not wait for them. `top`
 * is where the rows begin on the page, as far as it is known before they are drawn.
 */
export function useDrawnRows(
  place: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  top: number,
  most = mostAtOnce,
): DrawnRows {
  const many = count > most;
  const offset = useOffset(place, many, top);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: around,
    scrollMargin: offset,
    enabled: many,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    // What is drawn follows between other work; drawing at once would make each scrolled frame wait for it.
    useFlushSync: false,
  });
  const items = many ? virtualizer.getVirtualItems() : [];
  const [first, final] = [items[0], items.at(-1)];
  const wanted = useSameSpan({
    indexes: many ? items.map((item) => item.index) : Array.from({ length: count }, (_, index) => index),
    above: first ? first.start - offset : 0,
    below: final ? virtualizer.getTotalSize() - (final.end - offset) : 0,
  });
  const drawn = useDeferredValue(wanted);
  if (!many) return { ...wanted, reveal: () => undefined };
  return {
    ...drawn,
    reveal: (index) => virtualizer.scrollToIndex(index, { align: "auto" }),
    measure: virtualizer.measureElement,
  };
}

/**
 * Where the rows begin on the page. What stands above them may grow, and the page with it: the place is read when the
 * page has another height, after the browser has arranged it, because reading it earlier makes the browser do so twice.
 */
function useOffset(place: RefObject<HTMLElement | null>, many: boolean, top: number): number {
  const [offset, setOffset] = useState(top);
  useEffect(() => {
    if (!many) return;
    const watcher = new ResizeObserver(() => {
      if (!place.current) return;
      const now = Math.round(place.current.getBoundingClientRect().top + window.scrollY);
      setOffset((old) => (Math.abs(old - now) > 1 ? now : old));
    });
    watcher.observe(document.body);
    return () => watcher.disconnect();
  }, [place, many]);
  return offset;
}

type Span = Pick<DrawnRows, "indexes" | "above" | "below">;

/** The same object for as long as it says the same. */
function useSameSpan(span: Span): Span {
  const { indexes, above, below } = span;
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => span, [above, below, indexes[0], indexes.length]);
}
