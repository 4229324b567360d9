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
 * The networks of a day, the longest connected first. A network is new when none of the days before saw it, as long as
 * the week tells of such days.
 */
export function tracksOf({ networks, windows, step_s: step }: Diversity, week?: Diversity): Track[] {
  const usual = week && new Set(usualNetworks(week).map(keyOf));
  const sort = (network: Network): Sort => {
    if (network.kind === "hosting" || network.kind === "vpn") return "hosting";
    return usual && usual.size > 0 && !usual.has(keyOf(network)) ? "new" : "usual";
  };
  return networks
    .map((network) => ({ network, sort: sort(network), spans: spansOf(network, windows, step * 1000) }))
    .filter(({ spans }) => spans.length > 0)
    .sort((a, b) => lengthOf(b.spans) - lengthOf(a.spans));
}

/** What tells networks apart: a company may run one number in many countries. */
export const keyOf = ({ asn, country, city }: Network): string => `${asn} ${country} ${city}`;

/** Networks of a week that were seen before its last day as well. */
export function usualNetworks({ networks, to }: Diversity): Network[] {
  return networks.filter((network) => Date.parse(network.first_at) < Date.parse(to) - day);
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

/** What was found at a moment; it has its number in the drawing and beside its words. */
export interface Mark {
  at: string;
  number: number;
}

/** Numbers so near each other, in per cent of the drawing, would cover one another. */
const near = 4;

/** Marks of a span from left to right; those that would cover one another share one sign: "1–3". */
export function signsOf(marks: readonly Mark[], span: Span): { left: number; text: string }[] {
  const signs: { left: number; first: number; last: number }[] = [];
  for (const { at, number } of marks) {
    const moment = Date.parse(at);
    if (moment < span.from || moment > span.to) continue;
    const left = placeOf(moment, span);
    const before = signs.at(-1);
    if (before && left - before.left < near) before.last = number;
    else signs.push({ left, first: number, last: number });
  }
  return signs.map(({ left, first, last }) => ({ left, text: first === last ? `${first}` : `${first}–${last}` }));
}

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
