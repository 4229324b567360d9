import { serveUnder, type Reply } from "@/testing/serve";
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

export { pageOf } from "@/testing/serve";
export const serve = serveUnder("/api/v1/backups");

export function refusal(status: number, code: string, ...errors: { field: string; message: string }[]): Reply {
  return { status, body: { status, code, errors: errors.map((one) => ({ code: "invalid_value", ...one })) } };
}
