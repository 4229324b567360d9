import type { Connection, ConnectionChange, NewConnection, NewFresh } from "./api";

/** What becomes of something that is stored and never shown: it stays, is replaced by a value, or goes. */
export interface Part<Value> {
  way: "kept" | "given" | "removed";
  value: Value;
}

export interface Header {
  name: string;
  value: string;
}

/** What the form of a connection holds. */
export interface Draft {
  label: string;
  base_url: string;
  direct: boolean;
  token: Part<string>;
  extra_headers: Part<Header[]>;
  cookie: Part<string>;
  ca: Part<string>;
  client_certificate: Part<string>;
}

export const mostHeaders = 16;

const part = <Value>(stored: boolean, value: Value): Part<Value> => ({ way: stored ? "kept" : "given", value });

export function draftOf(connection?: Connection): Draft {
  return {
    label: connection?.label ?? "",
    base_url: connection?.base_url ?? "",
    direct: connection?.direct ?? false,
    token: part(connection?.has_token ?? false, ""),
    extra_headers: part<Header[]>(connection?.has_extra_headers ?? false, []),
    cookie: part(connection?.has_cookie ?? false, ""),
    ca: part(connection?.has_ca ?? false, ""),
    client_certificate: part(connection?.has_client_certificate ?? false, ""),
  };
}

export type Wrong = "label" | "address" | "token" | "value" | "header" | "headerTwice" | "ca" | "pair" | "sealed";

/** Which of the parts are stored, so that a new value may not be empty. */
type Stored = Partial<Pick<Connection, "has_extra_headers" | "has_cookie" | "has_ca" | "has_client_certificate">>;

/** What is missing or cannot be, by the field and in their order. The panel judges the rest. */
export function problemsOf(draft: Draft, stored: Stored = {}, fresh = false): Partial<Record<keyof Draft, Wrong>> {
  const { token, cookie, ca, client_certificate: pair } = draft;
  const all: Partial<Record<keyof Draft, Wrong | undefined>> = {
    label: draft.label.trim() ? undefined : "label",
    base_url: /^https?:\/\/[^\s/]+\S*$/i.test(draft.base_url.trim()) ? undefined : "address",
    token: fresh || token.way === "kept" || token.value.trim() ? undefined : "token",
    extra_headers: headersProblem(draft.extra_headers, stored.has_extra_headers),
    cookie: textProblem(cookie, stored.has_cookie),
    ca: textProblem(ca, stored.has_ca) ?? caProblem(ca),
    client_certificate: textProblem(pair, stored.has_client_certificate) ?? pairProblem(pair),
  };
  return Object.fromEntries(Object.entries(all).filter(([, wrong]) => wrong !== undefined));
}

function textProblem({ way, value }: Part<string>, stored = false): Wrong | undefined {
  return way === "given" && stored && !value.trim() ? "value" : undefined;
}

function headersProblem({ way, value }: Part<Header[]>, stored = false): Wrong | undefined {
  if (way !== "given") return undefined;
  const rows = filled(value);
  if (rows.some(({ name, value }) => !name.trim() || !value.trim())) return "header";
  const names = rows.map(({ name }) => name.trim().toLowerCase());
  if (new Set(names).size < names.length) return "headerTwice";
  return stored && rows.length === 0 ? "value" : undefined;
}

const certificate = "-----BEGIN CERTIFICATE-----";

function caProblem({ way, value }: Part<string>): Wrong | undefined {
  return way === "given" && value.trim() && !value.includes(certificate) ? "ca" : undefined;
}

function pairProblem({ way, value }: Part<string>): Wrong | undefined {
  if (way !== "given" || !value.trim()) return undefined;
  if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(value)) return "sealed";
  return value.includes(certificate) && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(value) ? undefined : "pair";
}

/** Rows in which something stands. */
const filled = (rows: Header[]) => rows.filter(({ name, value }) => name.trim() || value.trim());

const headersOf = (rows: Header[]) =>
  Object.fromEntries(filled(rows).map(({ name, value }) => [name.trim(), value.trim()]));

/** A part as it is sent: nothing where it stays, empty where it goes. */
function sent<Value, Wire extends string | object>(
  { way, value }: Part<Value>,
  wire: (value: Value) => Wire,
  none: Wire,
): Wire | undefined {
  if (way === "removed") return none;
  const given = wire(value);
  return way === "kept" || Object.keys(given).length === 0 ? undefined : given;
}

const trimmed = (text: string) => text.trim();

function partsOf(draft: Draft) {
  return defined({
    token: sent(draft.token, trimmed, ""),
    extra_headers: sent<Header[], Record<string, string>>(draft.extra_headers, headersOf, {}),
    cookie: sent(draft.cookie, trimmed, ""),
    ca: sent(draft.ca, trimmed, ""),
    client_certificate: sent(draft.client_certificate, trimmed, ""),
  });
}

type Defined<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

const defined = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;

export function newOf(draft: Draft): NewConnection {
  return { ...basics(draft), token: "", ...partsOf(draft) };
}

export function freshOf(draft: Draft): NewFresh {
  const { extra_headers } = partsOf(draft);
  return { ...basics(draft), ...(extra_headers && { extra_headers }) };
}

function basics({ label, base_url, direct }: Draft) {
  return { label: label.trim(), base_url: base_url.trim(), ...(direct && { direct }) };
}

/** What differs from what is stored; undefined where nothing does. */
export function changeOf(draft: Draft, stored: Connection): (ConnectionChange & { id: string }) | undefined {
  const { id, revision } = stored;
  const [label, base_url] = [draft.label.trim(), draft.base_url.trim()];
  const changes = {
    ...(label !== stored.label && { label }),
    ...(base_url !== stored.base_url && { base_url }),
    ...(draft.direct !== stored.direct && { direct: draft.direct }),
    ...partsOf(draft),
  };
  return Object.keys(changes).length > 0 ? { id, revision, ...changes } : undefined;
}
