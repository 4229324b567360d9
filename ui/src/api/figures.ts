import { useEffect, useMemo } from "react";
import { createStore, useStore } from "zustand";
import { learnServerTime, serverNow } from "./server-clock";
import { useSession } from "./session";
import { followTopics, type LiveEvent } from "./stream";

/** What agents measured, summed over nodes that were measured lately. */
export interface FleetFigures {
  nodes: number;
  sessions: number | null;
  net_rx_bps: number;
  net_tx_bps: number;
  cpu_pct: number | null;
  oldest_sample_at: string | null;
}

export interface Counted {
  total: number;
  states: Record<string, number>;
  figures: FleetFigures;
}

/** The newest sample of one node; `at` is by the clock of the panel. */
export interface Sample {
  at: number;
  sessions: number | null;
  rx: number;
  tx: number;
  cpu: number;
  memory: number;
}

type SampleRow = [string, number, number | null, number, number, number, number];

interface Frame {
  at: string;
  interval_s: number;
  stale_after_s: number;
  fleet: Counted;
  regions: ({ region: string } & Counted)[] | null;
  nodes: SampleRow[] | null;
}

interface Figures {
  /** When the newest frame came, by the clock of the panel; undefined before the first. */
  at: number | undefined;
  interval: number;
  staleAfter: number;
  fleet: Counted | undefined;
  regions: ReadonlyMap<string, Counted>;
  nodes: ReadonlyMap<string, Sample>;
}

const nothing: Figures = {
  at: undefined,
  interval: 3,
  staleAfter: 30,
  fleet: undefined,
  regions: new Map(),
  nodes: new Map(),
};

/** The figures that move: the newest frame of the panel, with the samples of the nodes that some page shows. */
export const figures = createStore<Figures>(() => nothing);

/** Whose samples a page shows: of these nodes, of the whole fleet, or only the sums. */
export type Shown = readonly string[] | "all";

const wants = new Map<symbol, Shown>();
const mostIds = 64;
const settle = 300;
let following: { topic: string; stop: AbortController } | undefined;
let settling: ReturnType<typeof setTimeout> | undefined;

/** Follows the figures of what a page shows while it is open; all pages share one stream. */
export function useFigures(shown: Shown): void {
  const { token } = useSession();
  const text = shown === "all" ? "*" : shown.join(".");
  const want = useMemo((): Shown => (text === "*" ? "all" : text === "" ? [] : text.split(".")), [text]);
  useEffect(() => {
    if (token === undefined) return;
    const key = Symbol("figures");
    wants.set(key, want);
    follow();
    return () => {
      wants.delete(key);
      follow();
    };
  }, [want, token]);
}

/** The topic of the stream for everything that is shown now; undefined when nothing is. */
export function topicOf(all: readonly Shown[]): string | undefined {
  if (all.length === 0) return undefined;
  if (all.includes("all")) return "metrics:*";
  const ids = [...new Set((all as readonly (readonly string[])[]).flat())].sort().slice(0, mostIds);
  return ids.length === 0 ? "metrics" : `metrics:${ids.join(".")}`;
}

document.addEventListener("visibilitychange", follow);

/** A hidden page follows nothing. Scrolling changes what is shown many times a second: the stream follows then. */
function follow(): void {
  clearTimeout(settling);
  settling = setTimeout(() => {
    const topic = document.hidden ? undefined : topicOf([...wants.values()]);
    if (topic === following?.topic) return;
    following?.stop.abort();
    following = undefined;
    if (wants.size === 0) figures.setState(nothing);
    if (topic === undefined) return;
    const stop = new AbortController();
    following = { topic, stop };
    void followTopics(topic, takeFrame, stop.signal);
  }, settle);
}

/** Takes one frame of the stream; samples of nodes that are no longer shown go when the topic changes. */
export function takeFrame(event: LiveEvent): void {
  if (event.kind !== "node.metrics") return;
  const frame = event as unknown as Frame;
  learnServerTime(frame.at);
  figures.setState((old) => ({
    at: serverNow(),
    interval: frame.interval_s,
    staleAfter: frame.stale_after_s,
    fleet: frame.fleet,
    regions: new Map((frame.regions ?? []).map((region) => [region.region, region])),
    nodes: frame.nodes?.length ? withSamples(old.nodes, frame.nodes) : old.nodes,
  }));
}

const mostKept = 6_000;

function withSamples(known: ReadonlyMap<string, Sample>, rows: SampleRow[]): Map<string, Sample> {
  const next = new Map(known.size > mostKept ? [] : known);
  for (const [id, seconds, sessions, rx, tx, cpu, memory] of rows) {
    next.set(id, { at: seconds * 1000, sessions, rx, tx, cpu, memory });
  }
  return next;
}

/** The newest sample of a node; undefined where none has come. */
export function useSample(id: string): Sample | undefined {
  return useStore(figures, (state) => state.nodes.get(id));
}

/** One part of the newest frame. */
export function useFrame<Part>(pick: (state: Figures) => Part): Part {
  return useStore(figures, pick);
}
