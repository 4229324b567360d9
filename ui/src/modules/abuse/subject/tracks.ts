import type { Diversity, DiversityWindow, Network } from "./api";

/** What sort of network a line of the drawing is: where people live or work, machines, or one never seen before. */
export type Sort = "usual" | "hosting" | "new";

/** A span of time in milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/** One network, and when sessions of it were open. */
export interface Track {
  network: Network;
  sort: Sort;
  spans: Span[];
}

export const day = 86_400_000;

/**
 * The networks of the last day, the longest connected first. A network is new when none of the days before saw it, as
 * long as there are such days.
 */
export function tracksOf(diversity: Diversity): Track[] {
  const to = Date.parse(diversity.to);
  const windows = diversity.windows.filter(({ at }) => Date.parse(at) >= to - day);
  const known = diversity.windows.length > windows.length;
  return diversity.networks
    .map((network) => ({
      network,
      sort: sortOf(network, known, to),
      spans: spansOf(network, windows, diversity.step_s * 1000),
    }))
    .filter(({ spans }) => spans.length > 0)
    .sort((a, b) => lengthOf(b.spans) - lengthOf(a.spans));
}

function sortOf(network: Network, known: boolean, to: number): Sort {
  if (network.kind === "hosting" || network.kind === "vpn") return "hosting";
  return known && isNew(network, to) ? "new" : "usual";
}

const isNew = (network: Network, to: number) => Date.parse(network.first_at) >= to - day;

/** Networks that were seen before the last day as well. */
export function usualNetworks({ networks, to }: Diversity): Network[] {
  return networks.filter((network) => !isNew(network, Date.parse(to)));
}

/** Windows that follow each other are one session, as far as can be told. */
function spansOf(network: Network, windows: readonly DiversityWindow[], step: number): Span[] {
  const spans: Span[] = [];
  for (const window of windows) {
    if (!saw(window, network, step)) continue;
    const from = Date.parse(window.at);
    const last = spans.at(-1);
    if (last && from <= last.to) last.to = from + step;
    else spans.push({ from, to: from + step });
  }
  return spans;
}

/** Windows name networks and countries by themselves: within the time that the network was seen, both are meant. */
function saw(window: DiversityWindow, { asn, country, first_at, last_at }: Network, step: number): boolean {
  const at = Date.parse(window.at);
  if (at + step <= Date.parse(first_at) || at > Date.parse(last_at)) return false;
  if (asn === 0) return country === "" || window.countries.includes(country);
  return window.asns.includes(asn) && (country === "" || window.countries.includes(country));
}

const lengthOf = (spans: readonly Span[]) => spans.reduce((sum, { from, to }) => sum + to - from, 0);

const tick = 6 * 3_600_000;

/** Whole six hours of the place where the page is read, between two moments. */
export function ticksOf(from: number, to: number): number[] {
  const offset = new Date(from).getTimezoneOffset() * 60_000;
  const first = Math.ceil((from - offset) / tick) * tick + offset;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / tick) + 1) }, (_, index) => first + index * tick);
}

/** A moment as a share of the drawing's width, in per cent. */
export function placeOf(at: number, { from, to }: Span): number {
  return Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100));
}
