import type { NewProfile, Profile, ProfileChange } from "../shared/api";
import { cronOf, scheduleOf, scheduleProblem, type ScheduleDraft, type ScheduleWrong } from "../shared/schedule";
import {
  destinationDraft,
  destinationFieldId,
  destinationInput,
  destinationProblems,
  panelNames,
  type DestinationDraft,
  type DestinationField,
  type DestinationWrong,
} from "./destination-draft";

export type EncryptionMode = Profile["encryption"]["mode"];
export type Telemetry = NonNullable<Profile["scope"]["telemetry"]>;

/** What the page of a profile holds. */
export interface ProfileDraft {
  name: string;
  enabled: boolean;
  schedule: ScheduleDraft;
  zone: string;
  destinations: DestinationDraft[];
  mode: EncryptionMode;
  recipient: string;
  passphrase: string;
  hasPassphrase: boolean;
  secretStore: boolean;
  config: boolean;
  telemetry: Telemetry;
  keepLast: number | string;
  keepDays: number | string;
  /** Gigabytes at each destination; empty is no limit. */
  keepGigabytes: number | string;
  test: ScheduleDraft;
  deadmanHours: number | string;
}

export const gigabyte = 1024 ** 3;
const dailyBackup = "30 3 * * *";
const weeklyTest = "0 5 * * 0";

const orEmpty = (value: number | undefined) => (value ? value : "");

/** A profile as it is, or a new one with the defaults of the panel, in the time zone of whoever makes it. */
export function draftOf(profile: Profile | undefined, zone = "UTC"): ProfileDraft {
  return {
    name: profile?.name ?? "",
    enabled: profile?.enabled ?? true,
    schedule: scheduleOf(profile ? (profile.schedule.cron ?? "") : dailyBackup),
    zone: (profile ? profile.schedule.zone : zone) || "UTC",
    destinations: (profile?.destinations ?? [{}]).map(destinationDraft),
    mode: profile?.encryption.mode ?? "none",
    recipient: profile?.encryption.recipient ?? "",
    passphrase: "",
    hasPassphrase: profile?.encryption.has_passphrase ?? false,
    secretStore: profile?.scope.secret_store ?? false,
    config: profile?.scope.config ?? false,
    telemetry: profile?.scope.telemetry ?? "all",
    keepLast: profile ? orEmpty(profile.retention.keep_last) : 10,
    keepDays: profile ? orEmpty(profile.retention.keep_days) : 30,
    keepGigabytes: orEmpty((profile?.retention.max_bytes ?? 0) / gigabyte),
    test: scheduleOf(profile ? (profile.verify.restore_test ?? "") : weeklyTest, { time: "05:00" }),
    deadmanHours: profile?.deadman_hours ?? 26,
  };
}

/** What follows from a choice: without encryption no master key, and with a recipient no tests by the panel alone. */
export function withMode(draft: ProfileDraft, mode: EncryptionMode): ProfileDraft {
  return {
    ...draft,
    mode,
    secretStore: mode === "none" ? false : draft.secretStore,
    test: mode === "age" ? { ...draft.test, mode: "manual" } : draft.test,
  };
}

export type ProfileField =
  | "name"
  | "schedule"
  | "zone"
  | "recipient"
  | "passphrase"
  | "keepLast"
  | "keepDays"
  | "keepGigabytes"
  | "test"
  | "deadmanHours";

export type ProfileWrong =
  "name" | "recipient" | "passphrase" | "passphraseShort" | "number" | "gigabytes" | "hours" | ScheduleWrong;

export interface Problems {
  fields: Partial<Record<ProfileField, ProfileWrong>>;
  /** By the key of the destination. */
  destinations: Record<string, Partial<Record<DestinationField, DestinationWrong>>>;
}

const shortestPassphrase = 12;

/** What is missing or cannot be, by the field. The panel judges the rest. */
export function problemsOf(draft: ProfileDraft): Problems {
  const fields: Problems["fields"] = {};
  const [schedule, test] = [scheduleProblem(draft.schedule), scheduleProblem(draft.test)];
  if (!draft.name.trim()) fields.name = "name";
  if (schedule) fields.schedule = schedule;
  if (draft.mode === "age" && !/^age1[a-z0-9]+$/i.test(draft.recipient.trim())) fields.recipient = "recipient";
  if (draft.mode === "passphrase") {
    if (!draft.passphrase && !draft.hasPassphrase) fields.passphrase = "passphrase";
    if (draft.passphrase && draft.passphrase.length < shortestPassphrase) fields.passphrase = "passphraseShort";
  }
  if (!isWhole(draft.keepLast, 10_000)) fields.keepLast = "number";
  if (!isWhole(draft.keepDays, 36_500)) fields.keepDays = "number";
  if (!(Number(draft.keepGigabytes) >= 0 && Number(draft.keepGigabytes) <= 8_000_000))
    fields.keepGigabytes = "gigabytes";
  if (test) fields.test = test;
  if (!isWhole(draft.deadmanHours, 8760)) fields.deadmanHours = "hours";
  const judged = draft.destinations.map((one) => [one.key, destinationProblems(one, draft.mode !== "none")] as const);
  return { fields, destinations: Object.fromEntries(judged.filter(([, wrong]) => Object.keys(wrong).length > 0)) };
}

function isWhole(value: number | string, most: number): boolean {
  const number = Number(value);
  return Number.isInteger(number) && number >= 0 && number <= most;
}

/** The id of the first field at fault, from the top of the page. */
export function firstAtFault({ fields, destinations }: Problems): string | undefined {
  const above = (["name", "schedule", "zone"] as const).find((field) => fields[field]);
  if (above) return fieldId(above);
  const [place] = Object.entries(destinations);
  if (place) return destinationFieldId(place[0], Object.keys(place[1])[0] as DestinationField);
  const [below] = Object.keys(fields) as ProfileField[];
  return below && fieldId(below);
}

export const fieldId = (field: ProfileField) => `profile-${field}`;

function bodyOf(draft: ProfileDraft) {
  return {
    name: draft.name.trim(),
    enabled: draft.enabled,
    schedule: { cron: cronOf(draft.schedule), zone: draft.zone },
    scope: { secret_store: draft.secretStore, config: draft.config, telemetry: draft.telemetry },
    destinations: draft.destinations.map(destinationInput),
    encryption: {
      mode: draft.mode,
      ...(draft.mode === "age" && { recipient: draft.recipient.trim() }),
      ...(draft.mode === "passphrase" && draft.passphrase && { passphrase: draft.passphrase }),
    },
    retention: {
      keep_last: Number(draft.keepLast),
      keep_days: Number(draft.keepDays),
      max_bytes: Math.round(Number(draft.keepGigabytes) * gigabyte),
    },
    verify: { restore_test: cronOf(draft.test) },
    deadman_hours: Number(draft.deadmanHours),
  };
}

export const newOf = (draft: ProfileDraft): NewProfile => bodyOf(draft);

export function changeOf(draft: ProfileDraft, { id, revision }: Profile): ProfileChange & { id: string } {
  return { id, revision, ...bodyOf(draft) };
}

const panelFields: Record<ProfileField, string[]> = {
  name: ["name"],
  schedule: ["schedule.cron", "schedule"],
  zone: ["schedule.zone"],
  recipient: ["encryption.recipient"],
  passphrase: ["encryption.passphrase", "encryption.mode"],
  keepLast: ["retention.keep_last"],
  keepDays: ["retention.keep_days"],
  keepGigabytes: ["retention.max_bytes"],
  test: ["verify.restore_test"],
  deadmanHours: ["deadman_hours"],
};

/** The ids of the fields that the panel may refuse, by what it calls them: with and without the body before them. */
export function fieldIds({ destinations }: ProfileDraft): Record<string, string> {
  const own = Object.entries(panelFields).flatMap(([field, names]) =>
    names.map((name) => [name, fieldId(field as ProfileField)] as const),
  );
  const places = destinations.flatMap(({ key }, at) =>
    Object.entries(panelNames).map(
      ([field, name]) => [`destinations[${at}].${name}`, destinationFieldId(key, field as DestinationField)] as const,
    ),
  );
  const all = [...own, ...places];
  return Object.fromEntries([...all, ...all.map(([name, id]) => [`body.${name}`, id] as const)]);
}
