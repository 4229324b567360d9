import { serveUnder } from "@/testing/serve";
import type { Asset, Category, Changes, HeldAsset, HoldingNode, KeptVersion, Lookup, Preset, Version } from "./api";

const at = "2026-03-11T04:00:00Z";

export const assetId = "01890000-0000-7000-8000-0000000000a1";
export const nodeId = "01890000-0000-7000-8000-0000000000c2";
export const flowId = "01890000-0000-7000-8000-0000000000f1";

export const sum = (digit: string) => digit.repeat(64);

export function makeVersion(change: Partial<Version> = {}): Version {
  return {
    sha256: sum("a"),
    size: 10_485_760,
    categories: 1400,
    entries: 133_747,
    fetched_at: at,
    source_url: "https://example.com/geosite.dat",
    ...change,
  };
}

/** A file that all nodes have, with a version before. */
export function makeAsset(change: Partial<Asset> = {}): Asset {
  return {
    id: assetId,
    name: "geosite.dat",
    file: "geosite",
    preset: "v2fly",
    source_url: "https://example.com/geosite.dat",
    checksum_url: "https://example.com/geosite.dat.sha256sum",
    schedule: { enabled: true, cron: "0 4 * * *" },
    pinned: false,
    on_nodes: true,
    state: "current",
    reject_reason: "",
    reject_detail: "",
    missing: [],
    version: makeVersion(),
    previous: makeVersion({ sha256: sum("b") }),
    candidate: null,
    nodes: { total: 12, current: 12, waiting: 0, failed: 0 },
    fetched_at: at,
    next_update_at: new Date(Date.now() + 3_600_000).toISOString(),
    revision: 4,
    created_at: at,
    updated_at: at,
    ...change,
  };
}

export const makeKept = (state: KeptVersion["state"], digit: string): KeptVersion => ({
  ...makeVersion({ sha256: sum(digit) }),
  state,
});

export function makeHolder(change: Partial<HoldingNode> = {}): HoldingNode {
  return {
    node_id: nodeId,
    node_name: "ams-01",
    sha256: sum("a"),
    state: "current",
    error: "",
    at,
    ring: 1,
    ...change,
  };
}

export function makeHeld(change: Partial<HeldAsset> = {}): HeldAsset {
  return {
    asset_id: assetId,
    name: "geosite.dat",
    sha256: sum("a"),
    wanted_sha256: sum("a"),
    state: "current",
    error: "",
    at,
    ...change,
  };
}

export function makeCategory(change: Partial<Category> = {}): Category {
  return { category: "category-ads", entries: 1200, used_by: [flowId], used_by_count: 1, ...change };
}

export function makeLookup(change: Partial<Lookup> = {}): Lookup {
  return {
    query: "www.example.org",
    kind: "domain",
    matches: [
      {
        asset_id: assetId,
        asset: "geosite.dat",
        category: "category-ads",
        rule_kind: "domain",
        rule: "example.org",
        attributes: ["ads"],
        used_by_count: 2,
      },
    ],
    country: null,
    network: null,
    ...change,
  };
}

export function makeChanges(change: Partial<Changes> = {}): Changes {
  return {
    from: sum("b"),
    to: sum("a"),
    added: ["new-list"],
    removed: [],
    changed: [
      { category: "ru", added_count: 1200, removed_count: 3, added: ["one.example"], removed: ["old.example"] },
    ],
    truncated: false,
    ...change,
  };
}

const preset = (name: Preset["preset"], file: Preset["file"]): Preset => ({
  preset: name,
  file,
  name: `${file}.dat`,
  source_url: `https://${name}.example.com/${file}.dat`,
  checksum_url: `https://${name}.example.com/${file}.dat.sha256sum`,
  note_key: name,
});

export const presets = [
  preset("v2fly", "geosite"),
  preset("v2fly", "geoip"),
  preset("loyalsoldier", "geosite"),
  preset("runetfreedom_ru", "geoip"),
];

export { pageOf } from "@/testing/serve";
export const serve = serveUnder("/api/v1");
