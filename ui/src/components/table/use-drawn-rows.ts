import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useState, type RefObject } from "react";

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

/** Which of many rows are in the document: those in the window and some around it. */
export function useDrawnRows(
  place: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  most = mostAtOnce,
): DrawnRows {
  const [offset, setOffset] = useState(0);
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
    overscan: 8,
    scrollMargin: offset,
    enabled: many,
  });
  if (!many) {
    return { indexes: Array.from({ length: count }, (_, index) => index), above: 0, below: 0, reveal: () => undefined };
  }
  const items = virtualizer.getVirtualItems();
  const [first, final] = [items[0], items.at(-1)];
  return {
    indexes: items.map((item) => item.index),
    above: first ? first.start - offset : 0,
    below: final ? virtualizer.getTotalSize() - (final.end - offset) : 0,
    reveal: (index) => virtualizer.scrollToIndex(index, { align: "auto" }),
    measure: virtualizer.measureElement,
  };
}
