import { licenseQuery } from "@/api/access";
import { makeLicense } from "@/testing/fixtures";
import { serveUnder, type Reply } from "@/testing/serve";
import type { Act } from "./acts/api";
import type { Agent } from "./agents/api";
import type { Entry } from "./allowlist/api";
import type { Block } from "./blocks/api";
import type { Case, CaseLine } from "./cases/api";
import type { Lookup } from "./lookup/api";
import type { Signal } from "./signals/api";
import type { Diversity, DiversityWindow, Network } from "./subject/api";

export { pageOf } from "@/testing/serve";

const answering = serveUnder("/api/v1/abuse");

/** A panel whose license has abuse protection; `license` changes that. */
export function serve(
  replies: Record<string, Reply | Reply[]>,
  permissions: string[] = ["*"],
  license: Parameters<typeof makeLicense>[0] = {},
) {
  const served = answering(replies, permissions);
  const features = { enabled: ["abuse", "flows"], blocked: [] };
  served.queries.setQueryData(licenseQuery.queryKey, makeLicense({ features, ...license }));
  return served;
}

/** How long ago, as a moment. */
export const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

export const userRef = "c:01890000-0000-7000-8000-000000000009";
export const nodeId = "01890000-0000-7000-8000-000000000001";

/** Torrents of a client, recognised by the core. */
export function makeSignal(change: Partial<Signal> = {}): Signal {
  return {
    id: "01890000-0000-7000-8000-0000000000e1",
    kind: "torrent",
    user_ref: userRef,
    user_label: "anna's phone",
    flow_id: "01890000-0000-7000-8000-0000000000f1",
    flow_name: "Office",
    node_id: nodeId,
    node_name: "fra-02",
    inbound_tag: "in-443",
    source: { ip: "", prefix_hash: "ab12", asn: 12389, country: "RU" },
    dest: { host: "tracker.example.org", ip: "", port: 6969, asn: 0 },
    count: 41,
    first_at: ago(900),
    last_at: ago(120),
    detected_by: "xray_routing",
    confidence: 0.95,
    evidence: "BitTorrent handshake",
    action: { blocked: false, will_unblock_at: null },
    ...change,
  };
}

export function makeNetwork(change: Partial<Network> = {}): Network {
  return {
    asn: 12389,
    name: "Rostelecom",
    kind: "home",
    nat: false,
    country: "RU",
    city: "Moscow",
    prefixes: 1,
    first_at: ago(5 * 86_400),
    last_at: ago(60),
    ...change,
  };
}

export function makeWindow(seconds: number, change: Partial<DiversityWindow> = {}): DiversityWindow {
  return {
    at: ago(seconds),
    ips: 1,
    sources: 1,
    max_concurrent: 1,
    mobile_share: 0,
    devices: null,
    asns: [12389],
    countries: ["RU"],
    node_ids: [nodeId],
    ...change,
  };
}

/** Somebody at home for days, seen in two windows that follow each other. */
export function makeDiversity(change: Partial<Diversity> = {}): Diversity {
  return {
    user_ref: userRef,
    user_label: "anna's phone",
    from: ago(7 * 86_400),
    to: ago(0),
    step_s: 300,
    max_sources: 2,
    max_concurrent: 1,
    countries: ["RU"],
    networks: [makeNetwork()],
    windows: [makeWindow(900), makeWindow(600)],
    unseen: [],
    ...change,
  };
}

export function makeEntry(change: Partial<Entry> = {}): Entry {
  return {
    id: "01890000-0000-7000-8000-0000000000aa",
    kind: "user",
    value: userRef,
    label: "anna's phone",
    note: "the office",
    until: null,
    created_by: "oleg",
    created_at: ago(86_400),
    ...change,
  };
}

export function makeAgent(change: Partial<Agent> = {}): Agent {
  return {
    node_id: nodeId,
    node_name: "fra-02",
    signals_at: ago(60),
    diversity_at: ago(120),
    dropped: 0,
    refused: 0,
    refused_why: "",
    refused_at: null,
    listeners: 3,
    incomplete: 0,
    ...change,
  };
}

/** An account that seems to be shared: two countries at once, and torrents. */
export function makeLine(change: Partial<CaseLine> = {}): CaseLine {
  return {
    id: "01890000-0000-7000-8000-0000000000c1",
    number: 1184,
    user_ref: userRef,
    user: { name: "anna's phone", known: true },
    node_ids: [nodeId],
    nodes: [{ id: nodeId, name: "fra-02" }],
    flows: [{ id: "01890000-0000-7000-8000-0000000000f1", name: "Office" }],
    score: 84,
    most: 255,
    confidence: 0.9,
    recommended: "soft_block",
    state: "open",
    why: { code: "countries_at_once", args: { times: 4, sources: 3 }, text: "different countries at the same time" },
    signals: { torrent: 410 },
    opened_at: ago(2_940),
    updated_at: ago(120),
    scored_at: ago(120),
    closed_at: null,
    closed_by: "",
    whitelist_until: null,
    reopened: 0,
    earlier: 0,
    revision: 3,
    ...change,
  };
}

export function makeCase(change: Partial<Case> = {}): Case {
  const args = { from: "Moscow, RU", to: "Falkenstein, DE" };
  return {
    ...makeLine(),
    breakdown: [
      { part: "temporal", points: 36, most: 40, known: true, ...makeLine().why },
      { part: "hwid", points: 0, most: 20, known: false, code: "hwid_unknown", args: {}, text: "none known" },
    ],
    findings: [
      { at: ago(600), node_id: "", code: "hosting", args: { name: "Hetzner", asn: 24940, kind: "hosting" }, text: "" },
      { at: ago(7_200), node_id: nodeId, code: "at_once", args: { ...args, seconds: 7_920, km: 0 }, text: "" },
    ],
    incomplete: [],
    notes: [],
    actions: [],
    ...change,
  };
}

/** A limit that holds for a day. */
export function makeAct(change: Partial<Act> = {}): Act {
  return {
    id: "01890000-0000-7000-8000-0000000000ac",
    case_id: "01890000-0000-7000-8000-0000000000c1",
    user_ref: userRef,
    user: { name: "anna's phone", known: true },
    kind: "limit",
    state: "active",
    by: "oleg",
    automatic: false,
    reason: "shared",
    started_at: ago(60),
    until: ago(-86_000),
    ended_at: null,
    ended_by: "",
    result: {
      nodes: [],
      streams: 0,
      sources: 0,
      networks: [],
      flows: [],
      limits: { speed_mbps: 5, addresses: 1 },
      error: "",
    },
    undoable: true,
    ...change,
  };
}

/** An address that two nodes do not answer. */
export function makeBlock(change: Partial<Block> = {}): Block {
  return {
    id: "01890000-0000-7000-8000-0000000000bb",
    network: "198.51.100.7",
    node_ids: [],
    reason: "flood",
    by: "oleg",
    case_id: null,
    action_id: null,
    state: "active",
    lifted_at: null,
    lifted_by: "",
    created_at: ago(60),
    until: ago(-3_000),
    nodes_held: 2,
    nodes_waiting: 0,
    nodes_failed: 0,
    errors: [],
    ...change,
  };
}

/** A complaint about a scan, and who it was. */
export function makeLookup(change: Partial<Lookup> = {}): Lookup {
  return {
    id: "01890000-0000-7000-8000-0000000000dd",
    address: "203.0.113.7",
    port: 0,
    dest: "",
    dest_port: 0,
    more: false,
    at: ago(3_600),
    tolerance_s: 300,
    reason: "abuse 4711",
    state: "done",
    asked_by: "oleg",
    asked_at: ago(10),
    nodes: [{ node_id: nodeId, node: "fra-02", state: "answered", since: ago(86_000), error: "" }],
    people: [
      {
        user_ref: userRef,
        user: "anna's phone",
        flow_id: "01890000-0000-7000-8000-0000000000f1",
        flow: "Office",
        node_id: nodeId,
        node: "fra-02",
        exact: true,
        connections: 96,
        first_at: ago(3_700),
        last_at: ago(3_500),
        from: "record",
        also: [{ kind: "port_scan", count: 96 }],
      },
    ],
    ...change,
  };
}
