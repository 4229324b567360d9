import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import { destinationDraft, destinationInput, destinationProblems } from "./profile/destination-draft";
import { refusedFields } from "./profile/form-errors";
import { changeOf, draftOf, fieldIds, firstAtFault, newOf, problemsOf, withMode } from "./profile/profile-draft";
import { cronOf, scheduleOf, scheduleProblem } from "./shared/schedule";
import { lateSince, reasonKey, testsOf, testState } from "./shared/words";
import { makeBucket, makeDestination, makeProfile, makeTest } from "./testing";

describe("a schedule", () => {
  it.each([
    ["30 3 * * *", { mode: "daily", time: "03:30" }],
    ["5 14 * * 7", { mode: "weekly", time: "14:05", day: "0" }],
    ["15 * * * *", { mode: "hourly", time: "00:15" }],
    ["", { mode: "manual" }],
    ["*/5 * * * *", { mode: "custom" }],
    ["0 4 1 * *", { mode: "custom" }],
    ["15 * * * 1", { mode: "custom" }],
  ])("reads %s as people say it", (cron, read) => {
    expect(scheduleOf(cron)).toMatchObject(read);
  });

  it.each(["30 3 * * *", "5 14 * * 3", "15 * * * *", "", "*/5 * * * *"])("writes %s back as it was", (cron) => {
    expect(cronOf(scheduleOf(cron))).toBe(cron);
  });

  it("keeps the time of day when its rhythm changes", () => {
    expect(cronOf({ ...scheduleOf("30 3 * * *"), mode: "weekly", day: "1" })).toBe("30 3 * * 1");
  });

  it("asks for a time, and for five fields of cron", () => {
    const daily = scheduleOf("30 3 * * *");
    expect(scheduleProblem({ ...daily, time: "" })).toBe("time");
    expect(scheduleProblem({ ...daily, mode: "custom", cron: "30 3 *" })).toBe("cron");
    expect(scheduleProblem({ ...daily, mode: "manual", time: "", cron: "" })).toBeUndefined();
  });
});

describe("a new profile", () => {
  it("needs nothing but its name", () => {
    const draft = draftOf(undefined, "Europe/Moscow");
    expect(problemsOf(draft)).toEqual({ fields: { name: "name" }, destinations: {} });
    expect(newOf({ ...draft, name: " Nightly " })).toEqual({
      name: "Nightly",
      enabled: true,
      schedule: { cron: "30 3 * * *", zone: "Europe/Moscow" },
      scope: { secret_store: false, config: false, telemetry: "all" },
      destinations: [{ kind: "local", config: {} }],
      encryption: { mode: "none" },
      retention: { keep_last: 10, keep_days: 30, max_bytes: 0 },
      verify: { restore_test: "0 5 * * 0" },
      deadman_hours: 26,
    });
  });

  it("is not encrypted with half a key", () => {
    const draft = { ...draftOf(undefined), name: "a" };
    expect(problemsOf({ ...draft, mode: "passphrase" }).fields.passphrase).toBe("passphrase");
    expect(problemsOf({ ...draft, mode: "passphrase", passphrase: "short" }).fields.passphrase).toBe("passphraseShort");
    expect(problemsOf({ ...draft, mode: "age", recipient: "AGE-SECRET-KEY-1" }).fields.recipient).toBe("recipient");
    expect(problemsOf({ ...draft, mode: "age", recipient: "age1qyz" }).fields).toEqual({});
  });

  it("never sends a messenger what is not encrypted", () => {
    const chat = { ...destinationDraft(), kind: "messenger" as const, chat: "1", secret: "1:a" };
    const draft = { ...draftOf(undefined), name: "a", destinations: [chat] };
    expect(problemsOf(draft).destinations[chat.key]).toEqual({ kind: "unencrypted" });
    expect(problemsOf({ ...draft, mode: "age", recipient: "age1qyz" }).destinations).toEqual({});
  });

  it("drops what encryption makes impossible", () => {
    const draft = { ...draftOf(makeProfile()), secretStore: true };
    expect(withMode(draft, "none").secretStore).toBe(false);
    expect(withMode(draft, "age").test.mode).toBe("manual");
    expect(withMode(draft, "age").secretStore).toBe(true);
  });

  it("keeps numbers within their limits", () => {
    const draft = {
      ...draftOf(undefined),
      name: "a",
      keepLast: -1,
      keepDays: 1.5,
      keepGigabytes: "x",
      deadmanHours: 9000,
    };
    expect(problemsOf(draft).fields).toEqual({
      keepLast: "number",
      keepDays: "number",
      keepGigabytes: "gigabytes",
      deadmanHours: "hours",
    });
  });
});

describe("a stored profile", () => {
  it("sends no secret that was left alone, and keeps its destinations", () => {
    const body = changeOf(draftOf(makeProfile()), makeProfile());
    expect(body).toMatchObject({ revision: 7, encryption: { mode: "passphrase" } });
    expect(body.encryption).not.toHaveProperty("passphrase");
    expect(body.destinations).toEqual([
      { id: makeDestination().id, kind: "local", config: {} },
      { id: makeBucket().id, kind: "s3", config: makeBucket().config },
    ]);
  });

  it("asks for the secret again when the server is another one", () => {
    const bucket = destinationDraft(makeBucket());
    expect(destinationProblems(bucket, true)).toEqual({});
    expect(destinationProblems({ ...bucket, endpoint: "https://other.example" }, true)).toEqual({
      secret: "secretAgain",
    });
    const server = destinationDraft({
      kind: "sftp",
      config: { host: "a", user: "u", host_key: "ssh-ed25519 A" },
      has_secret: true,
      id: "x",
    });
    expect(destinationProblems(server, true)).toEqual({});
    expect(destinationProblems({ ...server, hostKey: "ssh-ed25519 B" }, true)).toEqual({ secret: "secretAgain" });
    expect(destinationProblems({ ...server, port: 2222 }, true)).toEqual({ secret: "secretAgain" });
  });

  it("keeps the limit of a part that was set elsewhere", () => {
    expect(destinationInput(destinationDraft(makeBucket({ max_part_bytes: 5_000_000 }))).max_part_bytes).toBe(
      5_000_000,
    );
  });
});

describe("a destination", () => {
  it("names what its kind needs", () => {
    const draft = destinationDraft();
    expect(destinationProblems({ ...draft, kind: "local" }, false)).toEqual({});
    expect(destinationProblems({ ...draft, kind: "s3", endpoint: "s3.example.com/x" }, false)).toEqual({
      endpoint: "endpoint",
      bucket: "bucket",
      accessKey: "accessKey",
      secret: "secret",
    });
    expect(destinationProblems({ ...draft, kind: "sftp", port: 70_000 }, false)).toEqual({
      host: "host",
      port: "port",
      user: "user",
      hostKey: "hostKey",
      secret: "secret",
    });
  });
});

describe("what the panel refuses", () => {
  it("stands at its field, with and without the body before its name", () => {
    const draft = draftOf(makeProfile());
    const errors = ["destinations[1].config.endpoint", "body.name", "schedule.cron", "unknown"].map((field) => ({
      field,
      code: "invalid_value",
      message: `no ${field}`,
    }));
    const refused = refusedFields(new Problem({ status: 422, code: "invalid_value", errors }), fieldIds(draft));
    expect(refused).toEqual({
      [`destination-${makeBucket().id}-endpoint`]: "no destinations[1].config.endpoint",
      "profile-name": "no body.name",
      "profile-schedule": "no schedule.cron",
    });
  });

  it("takes the focus to the first field of the page", () => {
    expect(firstAtFault({ fields: { deadmanHours: "hours", name: "name" }, destinations: {} })).toBe("profile-name");
    expect(firstAtFault({ fields: { test: "time" }, destinations: { k: { bucket: "bucket" } } })).toBe(
      "destination-k-bucket",
    );
    expect(firstAtFault({ fields: {}, destinations: {} })).toBeUndefined();
  });
});

describe("words", () => {
  it("know what the panel says of failures, whatever stands around it", () => {
    expect(reasonKey("send a part of the backup: the S3 service answered NoSuchBucket")).toBe("bucket");
    expect(reasonKey("make the folder of backups: read-only file system")).toBe("readOnly");
    expect(reasonKey("something new")).toBeUndefined();
  });

  it("call a profile late once its time has passed, and never a paused one", () => {
    const now = Date.now();
    const old = makeProfile({ last_success_at: new Date(now - 27 * 3_600_000).toISOString() });
    expect(lateSince(old, now)).toBe(old.last_success_at);
    expect(lateSince({ ...old, enabled: false }, now)).toBeUndefined();
    expect(lateSince({ ...old, deadman_hours: 0 }, now)).toBeUndefined();
    expect(lateSince(makeProfile(), now)).toBeUndefined();
    expect(lateSince(makeProfile({ last_success_at: null }), now)).toBeDefined();
  });

  it("tell a test that failed from one that could not be made", () => {
    const [failed, good] = [makeTest({ verdict: "failed", state: "failed" }), makeTest()];
    expect(testsOf([failed, good])).toEqual({ good, newest: failed });
    expect(testState(makeTest({ verdict: "skipped" }))).toBe("skipped");
    expect(testState(makeTest({ verdict: "", finished_at: null }))).toBe("goesOn");
  });
});
