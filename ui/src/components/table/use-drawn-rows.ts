import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useDeferredValue, useLayoutEffect, useMemo, useState, type RefObject } from "react";

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

/** So many rows are drawn above and below the window, and at first before the others. */
const around = 6;
const atFirst = 4;

/**
 * Which of many rows are in the document: those in the window and some around it. Other rows are drawn between what
 * people do, so that a key or a click does not wait for them. `top` is where the rows begin on the page, as far as it
 * is known before they are drawn.
 */
export function useDrawnRows(
  place: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  top: number,
  most = mostAtOnce,
): DrawnRows {
  const [offset, setOffset] = useState(top);
  const many = count > most;
  // What stands above the rows may change with every drawing.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  useLayoutEffect(() => {
    const element = place.current;
    if (!many || !element) return;
    const top = Math.round(element.getBoundingClientRect().top + window.scrollY);
    setOffset((old) => (Math.abs(old - top) > 1 ? top : old));
  });
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: around,
    scrollMargin: offset,
    enabled: many,
  });
  const items = many ? virtualizer.getVirtualItems() : [];
  const [first, final] = [items[0], items.at(-1)];
  const wanted = useSameSpan({
    indexes: many ? items.map((item) => item.index) : Array.from({ length: count }, (_, index) => index),
    above: first ? first.start - offset : 0,
    below: final ? virtualizer.getTotalSize() - (final.end - offset) : 0,
  });
  const drawn = useDeferredValue(wanted, startOf(wanted, rowHeight));
  if (!many) return { ...wanted, reveal: () => undefined };
  return {
    ...drawn,
    reveal: (index) => virtualizer.scrollToIndex(index, { align: "auto" }),
    measure: virtualizer.measureElement,
  };
}

type Span = Pick<DrawnRows, "indexes" | "above" | "below">;

/** The same object for as long as it says the same. */
function useSameSpan(span: Span): Span {
  const { indexes, above, below } = span;
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => span, [above, below, indexes[0], indexes.length]);
}

/** The first rows of a span, with room for the others. */
function startOf({ indexes, above, below }: Span, rowHeight: number): Span {
  const first = indexes.slice(0, atFirst);
  return { indexes: first, above, below: below + (indexes.length - first.length) * rowHeight };
}
