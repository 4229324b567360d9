import { useEffect, useMemo, useRef } from "react";
import { z } from "zod";
import { useSearchState } from "@/components/screen/use-search";
import { useNow } from "@/components/text/use-now";
import { ranges, type Range } from "./ranges";

/** The time that the charts of a page show. */
export interface Window {
  from: string;
  to: string;
  /** A part of the range was chosen; it stands still and is kept in the address. */
  zoomed: boolean;
  zoom: (fromSeconds: number, toSeconds: number) => void;
  reset: () => void;
}

const refreshEvery = 15;
const shortest = 600;
const shortestZoom = 60;
const moment = z.iso.datetime().optional().catch(undefined);
const search = z.object({ from: moment, to: moment });

/**
 * The window moves on with the interval of the samples, not with every second; a young node is not drawn as mostly
 * nothing. A window that was chosen by dragging is that of the address, until another range
 * is chosen.
 */
export function useWindow(range: Range, enrolledAt: string | null): Window {
  const [chosen, setSearch] = useSearchState(search);
  const every = Math.max(refreshEvery, ranges[range] / 240);
  const end = Math.floor(useNow() / 1000 / every) * every;
  const moving = useMemo(() => movingWindow(end, range, enrolledAt), [end, range, enrolledAt]);
  const reset = () => setSearch({ from: undefined, to: undefined });
  const before = useRef(range);
  useEffect(() => {
    if (before.current !== range) reset();
    before.current = range;
  });
  const zoomed = chosen.from !== undefined && chosen.to !== undefined && chosen.from < chosen.to;
  return {
    ...(zoomed ? { from: chosen.from!, to: chosen.to! } : moving),
    zoomed,
    zoom: (from, to) => setSearch(zoomedWindow(from, to)),
    reset,
  };
}

export function movingWindow(end: number, range: Range, enrolledAt: string | null): { from: string; to: string } {
  const born = enrolledAt === null ? 0 : Date.parse(enrolledAt) / 1000;
  const begin = Math.max(end - ranges[range], Math.min(born, end - shortest));
  return { from: iso(begin), to: iso(end) };
}

/** Whole seconds, at least a minute apart. */
export function zoomedWindow(from: number, to: number): { from: string; to: string } {
  const begin = Math.floor(from);
  return { from: iso(begin), to: iso(Math.max(Math.ceil(to), begin + shortestZoom)) };
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
