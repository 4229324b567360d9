import type { Channel, ChannelChange, NewChannel } from "./api";

export type ChannelKind = Channel["kind"];

/** What the dialog of a channel holds. A secret that is left empty stays as it is stored. */
export interface ChannelDraft {
  kind: ChannelKind;
  name: string;
  enabled: boolean;
  url: string;
  secret: string;
  host: string;
  port: number | string;
  security: string;
  username: string;
  password: string;
  dropPassword: boolean;
  from: string;
  to: string[];
  ca: string;
}

export function draftOf(channel: Channel | undefined): ChannelDraft {
  const mail = channel?.email;
  return {
    kind: channel?.kind ?? "webhook",
    name: channel?.name ?? "",
    enabled: channel?.enabled ?? true,
    url: "",
    secret: "",
    host: mail?.host ?? "",
    port: mail?.port ?? 587,
    security: mail?.security ?? "starttls",
    username: mail?.username ?? "",
    password: "",
    dropPassword: false,
    from: mail?.from ?? "",
    to: mail?.to ?? [],
    ca: mail?.ca ?? "",
  };
}

export type Wrong = "name" | "url" | "secret" | "secretShort" | "host" | "port" | "from" | "to";

/** What is missing or cannot be, by the field. The panel judges the rest. */
export function problemsOf(draft: ChannelDraft, stored: boolean): Partial<Record<keyof ChannelDraft, Wrong>> {
  const wrong: Partial<Record<keyof ChannelDraft, Wrong>> = {};
  if (!draft.name.trim()) wrong.name = "name";
  if (draft.kind === "webhook") {
    if (draft.url.trim() ? !/^https?:\/\/\S+$/.test(draft.url.trim()) : !stored) wrong.url = "url";
    if (!draft.secret && !stored) wrong.secret = "secret";
    if (draft.secret && draft.secret.length < 16) wrong.secret = "secretShort";
    return wrong;
  }
  const port = Number(draft.port);
  if (!draft.host.trim()) wrong.host = "host";
  if (!Number.isInteger(port) || port < 1 || port > 65_535) wrong.port = "port";
  if (!isMail(draft.from.trim())) wrong.from = "from";
  if (draft.to.length === 0 || !draft.to.every(isMail)) wrong.to = "to";
  return wrong;
}

const isMail = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text);

function targetOf(draft: ChannelDraft): Pick<NewChannel, "webhook" | "email"> {
  if (draft.kind === "webhook") {
    const url = draft.url.trim();
    return { webhook: { ...(url && { url }), ...(draft.secret && { secret: draft.secret }) } };
  }
  return {
    email: {
      host: draft.host.trim(),
      port: Number(draft.port),
      security: draft.security === "tls" ? "tls" : "starttls",
      username: draft.username.trim(),
      ...(draft.dropPassword ? { password: "" } : draft.password && { password: draft.password }),
      from: draft.from.trim(),
      to: draft.to,
      ca: draft.ca.trim(),
    },
  };
}

export function newOf(draft: ChannelDraft): NewChannel {
  return { kind: draft.kind, name: draft.name.trim(), enabled: draft.enabled, ...targetOf(draft) };
}

/** The change of a channel; a receiver whose secrets were left alone is not sent. */
export function changeOf(draft: ChannelDraft, { id, revision }: Channel): ChannelChange & { id: string } {
  const target = targetOf(draft);
  const alone = target.webhook && Object.keys(target.webhook).length === 0;
  return { id, revision, name: draft.name.trim(), enabled: draft.enabled, ...(alone ? {} : target) };
}

const places: Record<string, string> = {
  "body.name": "channel-name",
  "body.webhook.url": "channel-url",
  "body.webhook.secret": "channel-secret",
  "body.email.host": "channel-host",
  "body.email.port": "channel-port",
  "body.email.security": "channel-security",
  "body.email.username": "channel-username",
  "body.email.password": "channel-password",
  "body.email.from": "channel-from",
  "body.email.ca": "channel-ca",
};

/** The ids of the fields that the panel may refuse, by what it calls them. */
export function fieldIds(draft: ChannelDraft): Record<string, string> {
  const receivers = draft.to.map((_, at) => [`body.email.to[${at}]`, "channel-to"]);
  return { ...places, "body.email.to": "channel-to", ...(Object.fromEntries(receivers) as Record<string, string>) };
}
