import { QueryClient } from "@tanstack/react-query";
import { vi } from "vitest";
import { licenseQuery, meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { makeLicense, makeMe } from "@/testing/fixtures";
import type { Artefact, Destination, Profile, Restore, Run, RunDestination } from "./shared/api";

const id = (end: string) => `01890000-0000-7000-8000-0000000000${end}`;
const hour = 3_600_000;
/** A moment, and a minute more: the clock of the page may lag. */
const ago = (hours: number) => new Date(Date.now() - hours * hour - 60_000).toISOString();

export const profileId = id("a1");
export const runId = id("b1");

export function makeDestination(change: Partial<Destination> = {}): Destination {
  return { id: id("d1"), kind: "local", config: {}, has_secret: false, max_part_bytes: 0, ...change };
}

export function makeBucket(change: Partial<Destination> = {}): Destination {
  const config = { endpoint: "https://s3.example.com", bucket: "panel", access_key_id: "key", path_style: true };
  return makeDestination({ id: id("d2"), kind: "s3", config, has_secret: true, ...change });
}

export function makeProfile(change: Partial<Profile> = {}): Profile {
  return {
    id: profileId,
    name: "Nightly",
    enabled: true,
    schedule: { cron: "30 3 * * *", zone: "Europe/Moscow" },
    scope: { secret_store: false, config: false, telemetry: "all" },
    destinations: [makeDestination(), makeBucket()],
    encryption: { mode: "passphrase", recipient: "", has_passphrase: true },
    compression: "zstd",
    retention: { keep_last: 10, keep_days: 30 },
    verify: { restore_test: "0 5 * * 0" },
    deadman_hours: 26,
    next_run_at: ago(-5),
    next_verify_at: null,
    last_success_at: ago(3),
    created_at: ago(500),
    updated_at: ago(500),
    revision: 7,
    ...change,
  };
}

export function makePlace(change: Partial<RunDestination> = {}): RunDestination {
  return { id: id("d1"), kind: "local", state: "succeeded", error: "", url_hint: "", bytes: 2_000_000, ...change };
}

export const artefact: Artefact = {
  name: "panel-20261123t033000z-nightly-1a2b3c4d",
  bytes: 2_097_152,
  sha256: "5f2c",
  schema_version: "20261101-abcd",
  panel_version: "1.4.0",
  key_fingerprint: "9f1e",
};

export function makeRun(change: Partial<Run> = {}): Run {
  return {
    id: runId,
    profile_id: profileId,
    profile_name: "Nightly",
    state: "succeeded",
    trigger: "schedule",
    started_by: "",
    step: "",
    bytes: 0,
    error: "",
    artefact,
    destinations: [makePlace(), makePlace({ id: id("d2"), kind: "s3", url_hint: "https://s3.example.com/panel/" })],
    log_tail: "03:30:00 dumping database",
    operation_id: null,
    created_at: ago(3),
    started_at: ago(3),
    finished_at: new Date(Date.now() - 3 * hour - 18_000).toISOString(),
    ...change,
  };
}

/** A run that goes on. */
export function makeActive(change: Partial<Run> = {}): Run {
  return makeRun({
    state: "uploading",
    step: "uploading",
    bytes: 1_048_576,
    artefact: null,
    destinations: [makePlace({ state: "queued", bytes: 0 })],
    finished_at: null,
    ...change,
  });
}

/** A run that one of two destinations has not taken. */
export function makePartial(error = "send a part of the backup: the S3 service answered NoSuchBucket"): Run {
  const failed = makePlace({ id: id("d2"), kind: "s3", state: "failed", error, bytes: 0 });
  return makeRun({ state: "partial", destinations: [makePlace(), failed] });
}

export function makeTest(change: Partial<Restore> = {}): Restore {
  return {
    id: id("e1"),
    run_id: runId,
    mode: "verify",
    outcome: null,
    state: "succeeded",
    trigger: "schedule",
    started_by: "",
    step: "",
    verdict: "ok",
    error: "",
    report: { tables: 64, rows: 12_345, secrets: 3, journal: 900, findings: [] },
    operation_id: null,
    created_at: ago(2),
    started_at: ago(2),
    finished_at: ago(2),
    ...change,
  };
}

export interface Asked {
  method: string;
  path: string;
  body: unknown;
}

interface Reply {
  status?: number;
  body?: unknown;
}

/** Lets views talk to a panel that answers by `METHOD path`; a list of replies is given one after the other. */
export function serve(replies: Record<string, Reply | Reply[]>, permissions: string[] = ["*"]) {
  const asked: Asked[] = [];
  beginSession("ps_test");
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const request = input as Request;
    const text = await request.text();
    const path = new URL(request.url).pathname.replace("/api/v1/backups", "");
    asked.push({ method: request.method, path, body: text ? JSON.parse(text) : undefined });
    const found = replies[`${request.method} ${path}`];
    const reply = (Array.isArray(found) ? (found.length > 1 ? found.shift() : found[0]) : found) ?? noSuch;
    const { status = 200, body } = reply;
    return new Response(body === undefined ? null : JSON.stringify(body), {
      status,
      headers: { "Content-Type": status >= 400 ? "application/problem+json" : "application/json" },
    });
  });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryDefaults(["accounts"], { staleTime: Infinity });
  queries.setQueryDefaults(["license"], { staleTime: Infinity });
  queries.setQueryData(meQuery.queryKey, makeMe(permissions));
  queries.setQueryData(licenseQuery.queryKey, makeLicense());
  const written = () => asked.filter(({ method }) => method !== "GET");
  return { asked, written, queries };
}

const noSuch: Reply = { status: 404, body: { status: 404, code: "not_found" } };

export function pageOf<Row>(...items: Row[]): Reply {
  return { body: { items, next_cursor: null, total: items.length } };
}

export function refusal(status: number, code: string, ...errors: { field: string; message: string }[]): Reply {
  return { status, body: { status, code, errors: errors.map((one) => ({ code: "invalid_value", ...one })) } };
}
