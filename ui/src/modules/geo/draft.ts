import type { Asset, AssetChange, NewAsset, Preset } from "./api";

export const files = ["geosite", "geoip", "custom", "mmdb"] as const;
export type FileKind = (typeof files)[number];

/** What a person writes of a file. */
export interface Draft {
  file: FileKind;
  preset: Asset["preset"];
  name: string;
  source_url: string;
  checksum_url: string;
  scheduled: boolean;
  cron: string;
  pinned: boolean;
  /** Of a database of places: nodes hold it, too. */
  on_nodes: boolean;
}

const fixed: Partial<Record<FileKind, string>> = { geosite: "geosite.dat", geoip: "geoip.dat" };

/** The name of a file whose name is not free: the core looks for it under that. */
export const fixedName = (file: FileKind) => fixed[file];

const daily = "0 4 * * *";

export function draftOf(asset: Asset | undefined): Draft {
  return {
    file: asset?.file ?? "geosite",
    preset: asset?.preset ?? "v2fly",
    name: asset?.name ?? "geosite.dat",
    source_url: asset?.source_url ?? "",
    checksum_url: asset?.checksum_url ?? "",
    scheduled: asset?.schedule.enabled ?? true,
    cron: asset?.schedule.cron || daily,
    pinned: asset?.pinned ?? false,
    on_nodes: asset?.on_nodes ?? true,
  };
}

/** The draft after another file or preset was chosen: a preset brings its addresses, a file its name. */
export function chosen(draft: Draft, change: Partial<Pick<Draft, "file" | "preset">>, presets: Preset[]): Draft {
  const next = { ...draft, ...change };
  const known = presets.filter(({ file }) => file === next.file);
  if (next.preset !== "custom" && !known.some(({ preset }) => preset === next.preset))
    next.preset = (known[0]?.preset as Draft["preset"] | undefined) ?? "custom";
  const found = known.find(({ preset }) => preset === next.preset);
  if (found) Object.assign(next, { source_url: found.source_url, checksum_url: found.checksum_url });
  else if (draft.preset !== "custom") Object.assign(next, { source_url: "", checksum_url: "" });
  const name = fixedName(next.file);
  if (name) next.name = name;
  else if (change.file && fixedName(draft.file)) next.name = "";
  return next;
}

const scheduleOf = ({ scheduled, cron }: Draft) => ({ enabled: scheduled, cron: cron.trim() });

/** What is sent for a new file; it is fetched at once. */
export function addedAsset(draft: Draft): NewAsset {
  return {
    file: draft.file,
    preset: draft.preset,
    name: draft.name.trim(),
    source_url: draft.source_url.trim(),
    checksum_url: draft.checksum_url.trim(),
    schedule: scheduleOf(draft),
    pinned: draft.pinned,
    ...(draft.file === "mmdb" && { on_nodes: draft.on_nodes }),
    update: true,
  };
}

/** What is sent for one that is there; its name and kind stay. */
export function changedAsset(draft: Draft, asset: Asset): AssetChange {
  return {
    preset: draft.preset,
    source_url: draft.source_url.trim(),
    checksum_url: draft.checksum_url.trim(),
    schedule: scheduleOf(draft),
    pinned: draft.pinned,
    revision: asset.revision,
  };
}
