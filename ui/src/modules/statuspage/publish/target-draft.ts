import type { Target } from "../api";

export type Kind = Target["kind"];
export const kinds: Kind[] = ["panel", "static_s3", "sftp", "local", "node"];

export interface TargetField {
  name: string;
  /** Words and password managers differ by what is written. */
  type: "text" | "url" | "number" | "check" | "area";
  required?: boolean;
  mono?: boolean;
}

/** What each kind of place is described by, in the order of the form. */
export const fieldsOf: Record<Kind, TargetField[]> = {
  panel: [],
  local: [{ name: "folder", type: "text", required: true, mono: true }],
  static_s3: [
    { name: "endpoint", type: "url", required: true, mono: true },
    { name: "region", type: "text", mono: true },
    { name: "bucket", type: "text", required: true, mono: true },
    { name: "prefix", type: "text", mono: true },
    { name: "access_key", type: "text", required: true, mono: true },
    { name: "public_url", type: "url", required: true, mono: true },
    { name: "path_style", type: "check" },
  ],
  sftp: [
    { name: "host", type: "text", required: true, mono: true },
    { name: "port", type: "number" },
    { name: "user", type: "text", required: true, mono: true },
    { name: "folder", type: "text", required: true, mono: true },
    { name: "host_key", type: "area", required: true, mono: true },
    { name: "public_url", type: "url", required: true, mono: true },
  ],
  node: [{ name: "port", type: "number", required: true }],
};

/** Kinds that are entered with a secret. */
export const hasSecret = (kind: Kind) => kind === "static_s3" || kind === "sftp";

/** What a person writes of a place. */
export interface TargetDraft {
  kind: Kind;
  label: string;
  config: Record<string, string | boolean>;
  nodeId: string | undefined;
  secret: string;
}

const shown = (value: unknown): string | boolean =>
  typeof value === "boolean" ? value : value === undefined || value === null ? "" : String(value as string | number);

export function draftOf(target: Target | undefined): TargetDraft {
  const kind = target?.kind ?? "panel";
  return {
    kind,
    label: target?.label ?? "",
    config: Object.fromEntries(fieldsOf[kind].map(({ name }) => [name, shown(target?.config[name])])),
    nodeId: target?.config.node_id as string | undefined,
    secret: "",
  };
}

/** The description of a place as the panel wants it; what is empty is left out. */
export function configOf({ kind, config, nodeId }: TargetDraft): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const { name, type } of fieldsOf[kind]) {
    const value = config[name];
    if (type === "check") out[name] = value === true;
    else if (typeof value === "string" && value.trim() !== "")
      out[name] = type === "number" ? Number(value) : value.trim();
  }
  if (kind === "node" && nodeId !== undefined) out.node_id = nodeId;
  return out;
}
