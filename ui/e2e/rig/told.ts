import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Stand } from "./stand";

/** Batches of one stream have rising numbers; the real agent of the node has a stream of its own. */
const stream = "told-by-a-journey";
const numbers = new Map<string, number>();

/** Tells the panel something of abuse in the name of an agent that runs, as that agent does. */
export async function tellAs(stand: Stand, agent: string, path: string, batch: object): Promise<void> {
  const identity = JSON.parse(readFileSync(join(stand.folder, `agent-${agent}`, "identity.json"), "utf8")) as {
    agent_token: string;
  };
  const key = `${agent} ${path}`;
  const seq = (numbers.get(key) ?? 0) + 1;
  for (;;) {
    const answered = await fetch(`${stand.url}/agent/v1/${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${identity.agent_token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ stream_id: stream, seq, ...batch }),
    });
    if (answered.status === 429) {
      await new Promise((resolve) => setTimeout(resolve, 1000 * Number(answered.headers.get("Retry-After") ?? 5)));
      continue;
    }
    if (answered.status !== 202) throw new Error(`${path}: ${answered.status} ${await answered.text()}`);
    numbers.set(key, seq);
    return;
  }
}

const minute = 60_000;
const at = (ago: number) => new Date(Date.now() - ago * minute).toISOString();

interface Stay {
  asn: number;
  name: string;
  kind: string;
  country: string;
  city: string;
  lat: number;
  lon: number;
  nat?: boolean;
}

const home: Stay = {
  asn: 12389,
  name: "Rostelecom",
  kind: "home",
  country: "RU",
  city: "Moscow",
  lat: 55.75,
  lon: 37.6,
};
const phone: Stay = { ...home, asn: 8359, name: "MTS", kind: "mobile", nat: true };
const rented: Stay = {
  asn: 24940,
  name: "Hetzner",
  kind: "hosting",
  country: "DE",
  city: "Falkenstein",
  lat: 50.48,
  lon: 12.37,
};
const abroad: Stay = {
  asn: 15895,
  name: "Kyivstar",
  kind: "mobile",
  country: "UA",
  city: "Kyiv",
  lat: 50.45,
  lon: 30.52,
};

/** From where the account was used in the last day, and how many minutes ago: at home, on the way, from machines. */
const day: [ago: number, here: Stay[]][] = [
  [1_380, [home]],
  [1_080, [home, rented]],
  [900, [phone]],
  [480, [home]],
  [420, [home, rented]],
  [95, [home, rented, abroad]],
  [90, [home, rented, abroad]],
  [10, [home, rented]],
];

const step = 5;

const blind = [{ inbound_tag: "in-443", source: "stats_api", complete: false }];

/** That the agent does not see all; the real one says every few minutes that it has no such listener. */
export async function tellOfCoverage(stand: Stand, agent: string): Promise<void> {
  const window = { from: at(step), to: at(0) };
  await tellAs(stand, agent, "session-diversity", { window, coverage: blind, users: [] });
}

/** One account that several people share: some windows of its day, and that the agent does not see all. */
export async function tellOfSharing(stand: Stand, agent: string, userRef: string): Promise<void> {
  for (const [ago, here] of day) {
    const window = { from: at(ago), to: at(ago - step) };
    await tellAs(stand, agent, "session-diversity", {
      window,
      coverage: blind,
      users: [{ user_ref: userRef, ...seen(here, window) }],
    });
  }
}

function seen(here: Stay[], { from, to }: { from: string; to: string }) {
  return {
    ips: here.length + 1,
    sources: here.length,
    max_concurrent: here.length,
    mobile_share: here.filter(({ kind }) => kind === "mobile").length / here.length,
    asns: here.map(({ asn }) => asn),
    countries: [...new Set(here.map(({ country }) => country))],
    cities: [...new Set(here.map(({ city }) => city))],
    first_at: from,
    last_at: to,
    networks: here.map((stay) => ({ ...stay, prefixes: ["ab12cd34"], first_at: from, last_at: to })),
  };
}

/** What the same account does: torrents that the core names, and a scan that is only counted. */
export async function tellOfMisuse(stand: Stand, agent: string, userRef: string, flow: string): Promise<void> {
  const signal = { user_ref: userRef, flow_id: flow, inbound_tag: "in-443", first_at: at(40), last_at: at(2) };
  await tellAs(stand, agent, "abuse-signals", {
    window: { from: at(40), to: at(0) },
    signals: [
      {
        ...signal,
        kind: "torrent",
        source: { prefix_hash: "ab12cd34", asn: home.asn, country: home.country },
        dest: { host: "tracker.example.org", port: 6969 },
        count: 410,
        detected_by: "xray_routing",
        confidence: 0.95,
        evidence: "BitTorrent handshake in the first bytes, 410 connections",
      },
      {
        ...signal,
        kind: "port_scan",
        source: { prefix_hash: "ab12cd34", asn: rented.asn, country: rented.country },
        dest: { ip: "203.0.113.9", port: 22 },
        count: 96,
        detected_by: "netflow",
        confidence: 0.6,
        evidence: "96 addresses on port 22 within a minute",
      },
    ],
  });
}
