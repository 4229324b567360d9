import type { Destination, DestinationInput, DestinationKind } from "../shared/api";

export const destinationKinds: readonly DestinationKind[] = ["local", "s3", "sftp", "messenger"];

/** What the fields of a destination hold. A secret that is left empty stays as it is stored. */
export interface DestinationDraft {
  /** Tells the fields of destinations apart while the page is open. */
  key: string;
  /** Of one that the panel knows. */
  id: string;
  kind: DestinationKind;
  folder: string;
  endpoint: string;
  bucket: string;
  prefix: string;
  region: string;
  accessKey: string;
  pathStyle: boolean;
  host: string;
  port: number | string;
  user: string;
  hostKey: string;
  chat: string;
  thread: number | string;
  apiRoot: string;
  secret: string;
  hasSecret: boolean;
  maxPartBytes: number;
  /** What was stored, for asking whether the server is still the same. */
  stored: Record<string, unknown>;
}

let made = 0;

export function destinationDraft(of: Partial<Destination> = {}): DestinationDraft {
  const config = of.config ?? {};
  const text = (name: string) => (typeof config[name] === "string" ? config[name] : "");
  const number = (name: string) => (typeof config[name] === "number" && config[name] !== 0 ? config[name] : "");
  made += 1;
  return {
    key: of.id ?? `new-${made}`,
    id: of.id ?? "",
    kind: of.kind ?? "local",
    folder: text("folder"),
    endpoint: text("endpoint"),
    bucket: text("bucket"),
    prefix: text("prefix"),
    region: text("region"),
    accessKey: text("access_key_id"),
    pathStyle: config["path_style"] === true,
    host: text("host"),
    port: number("port"),
    user: text("user"),
    hostKey: text("host_key"),
    chat: text("chat_id"),
    thread: number("thread_id"),
    apiRoot: text("api_root"),
    secret: "",
    hasSecret: of.has_secret ?? false,
    maxPartBytes: of.max_part_bytes ?? 0,
    stored: config,
  };
}

/** Only what is set, so that the panel's own defaults hold. */
function set(config: Record<string, string | number | boolean>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config)
      .map(([name, value]) => [name, typeof value === "string" ? value.trim() : value] as const)
      .filter(([, value]) => value !== "" && value !== 0 && value !== false),
  );
}

function configOf(draft: DestinationDraft): Record<string, unknown> {
  switch (draft.kind) {
    case "local":
      return set({ folder: draft.folder });
    case "s3":
      return set({
        endpoint: draft.endpoint,
        bucket: draft.bucket,
        prefix: draft.prefix,
        region: draft.region,
        access_key_id: draft.accessKey,
        path_style: draft.pathStyle,
      });
    case "sftp":
      return set({
        host: draft.host,
        port: Number(draft.port),
        user: draft.user,
        folder: draft.folder,
        host_key: draft.hostKey,
      });
    case "messenger":
      return set({ chat_id: draft.chat, thread_id: Number(draft.thread), api_root: draft.apiRoot });
  }
}

export function destinationInput(draft: DestinationDraft): DestinationInput {
  return {
    ...(draft.id && { id: draft.id }),
    kind: draft.kind,
    config: configOf(draft),
    ...(draft.secret && draft.kind !== "local" && { secret: draft.secret }),
    ...(draft.maxPartBytes > 0 && { max_part_bytes: draft.maxPartBytes }),
  };
}

export type DestinationField =
  | "kind"
  | "folder"
  | "endpoint"
  | "bucket"
  | "prefix"
  | "region"
  | "accessKey"
  | "host"
  | "port"
  | "user"
  | "hostKey"
  | "chat"
  | "thread"
  | "apiRoot"
  | "secret";

export type DestinationWrong =
  Exclude<DestinationField, "prefix" | "region" | "thread"> | "secretAgain" | "unencrypted";

/** A stored secret is not sent to another server: it is asked for again. */
function sameServer({ stored, kind, endpoint, host, port, hostKey, apiRoot }: DestinationDraft): boolean {
  const text = (name: string) => (typeof stored[name] === "string" ? stored[name] : "");
  if (kind === "s3") return endpoint.trim() === text("endpoint");
  if (kind === "messenger") return apiRoot.trim() === text("api_root");
  return (
    host.trim() === text("host") && hostKey.trim() === text("host_key") && Number(port) === Number(stored["port"] ?? 0)
  );
}

type Wrong = Partial<Record<DestinationField, DestinationWrong>>;

/** What is missing or cannot be. The panel judges the rest. */
export function destinationProblems(draft: DestinationDraft, encrypted: boolean): Wrong {
  const wrong: Wrong = {};
  const need = (field: DestinationField & DestinationWrong, value: string) => {
    if (!value.trim()) wrong[field] = field;
  };
  if (draft.kind === "local") return wrong;
  if (draft.kind === "s3") {
    if (!/^https?:\/\/[^\s/]+\/?$/.test(draft.endpoint.trim())) wrong.endpoint = "endpoint";
    need("bucket", draft.bucket);
    need("accessKey", draft.accessKey);
  }
  if (draft.kind === "sftp") {
    const port = Number(draft.port);
    need("host", draft.host);
    if (draft.port !== "" && (!Number.isInteger(port) || port < 1 || port > 65_535)) wrong.port = "port";
    need("user", draft.user);
    need("hostKey", draft.hostKey);
  }
  if (draft.kind === "messenger") {
    if (!encrypted) wrong.kind = "unencrypted";
    need("chat", draft.chat);
  }
  if (!draft.secret && !draft.hasSecret) wrong.secret = "secret";
  else if (!draft.secret && !sameServer(draft)) wrong.secret = "secretAgain";
  return wrong;
}

/** What the panel calls the fields of a destination. */
export const panelNames: Record<DestinationField, string> = {
  kind: "kind",
  folder: "config.folder",
  endpoint: "config.endpoint",
  bucket: "config.bucket",
  prefix: "config.prefix",
  region: "config.region",
  accessKey: "config.access_key_id",
  host: "config.host",
  port: "config.port",
  user: "config.user",
  hostKey: "config.host_key",
  chat: "config.chat_id",
  thread: "config.thread_id",
  apiRoot: "config.api_root",
  secret: "secret",
};

export const destinationFieldId = (key: string, field: DestinationField) => `destination-${key}-${field}`;
