import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import type { Profile, Restore, Run, RunDestination, RunState } from "./api";
import { scheduleOf } from "./schedule";

export const runGlyphs: Record<RunState, GlyphKind> = {
  queued: "waiting",
  running: "applying",
  uploading: "applying",
  succeeded: "healthy",
  partial: "degraded",
  failed: "down",
  cancelled: "skipped",
};

export const destinationGlyphs: Record<RunDestination["state"], GlyphKind> = {
  queued: "waiting",
  succeeded: "healthy",
  failed: "down",
  removed: "skipped",
};

export const verdictGlyphs: Record<TestState, GlyphKind> = {
  goesOn: "applying",
  ok: "healthy",
  failed: "down",
  skipped: "no-data",
};

/** How a restore test stands, in one word. */
export type TestState = "goesOn" | "ok" | "failed" | "skipped";

export function testState({ mode, state, verdict, finished_at: finished }: Restore): TestState {
  if (finished === null) return "goesOn";
  if (mode === "full") return state === "succeeded" ? "ok" : "failed";
  return verdict === "" ? "skipped" : verdict;
}

/** "Every day at 03:30": a schedule as people say it, or its rule. */
export function useScheduleWords() {
  const { t } = useTranslation("backups");
  return (cron: string): string => {
    const { mode, time, day } = scheduleOf(cron);
    switch (mode) {
      case "manual":
        return t("schedule.words.manual");
      case "hourly":
        return t("schedule.words.hourly", { minute: time.slice(3) });
      case "daily":
        return t("schedule.words.daily", { time });
      case "weekly":
        return t(`schedule.words.weekly.${day as "0"}`, { time });
      case "custom":
        return cron;
    }
  };
}

/** Sentences of the panel that have words in both languages; what stands around them is left out. */
const sentences = {
  interrupted: "interrupted",
  full: "the disk of the destination is full",
  hostKey: "the server's host key is not the one that was kept",
  user: "the SSH server refused the user or the key",
  noSftp: "the SSH server offers no SFTP",
  readOnly: "read-only file system",
  denied: "permission denied",
  none: "no destination takes the backup",
  stalled: "the destination took nothing for too long",
  lost: "the S3 service said that it has the file",
  missing: "the file is not there",
  damaged: "the backup is damaged or was changed",
  needsKey: "the key that was given does not open it",
  writeOnly: "files of this destination cannot be had back",
  otherKey: "the backup belongs to another master key",
  newer: "a newer version of the panel made this backup",
  noRight: "the role of the panel may not create a database",
  noDatabase: "the panel's database cannot be reached",
  target: "not allowed as a target",
  refused: "connection refused",
  unknownName: "the name is not found",
  bucket: "answered NoSuchBucket",
  signature: "answered SignatureDoesNotMatch",
  accessKey: "answered InvalidAccessKeyId",
  accessDenied: "answered AccessDenied",
} as const;

export type Reason = keyof typeof sentences;

export function reasonKey(text: string): Reason | undefined {
  return (Object.keys(sentences) as Reason[]).find((key) => text.includes(sentences[key]));
}

/** Why something failed: in words where the panel's sentence is known, else as the panel or the server said it. */
export function useReason() {
  const { t } = useTranslation("backups");
  return (text: string): string => {
    const key = reasonKey(text);
    return key ? t(`reason.${key}`) : text;
  };
}

/** What the run does now, in words. */
export function useStepWords() {
  const { t } = useTranslation("backups");
  return ({ step, state }: Pick<Run | Restore, "step" | "state">): string => {
    if (state === "queued") return t("step.queued");
    return t(`step.${step as "dumping"}`, { defaultValue: t("step.working") });
  };
}

/** When a profile is late: its dead-man time has passed since the last good backup, or since it was made. */
export function lateSince(profile: Profile, now: number): string | undefined {
  const { enabled, deadman_hours: hours, last_success_at: last, created_at: created } = profile;
  const since = last ?? created;
  return enabled && hours > 0 && now - Date.parse(since) > hours * 3_600_000 ? since : undefined;
}

/** The newest test that found a backup good, and the newest of all. */
export function testsOf(restores: readonly Restore[]) {
  const ended = restores.filter(({ finished_at: finished, mode }) => finished !== null && mode === "verify");
  return { good: ended.find(({ verdict }) => verdict === "ok"), newest: ended[0] };
}

/** Seconds that a run took, or takes so far. */
export function secondsOf({ started_at: started, finished_at: finished }: Run, now: number): number | undefined {
  if (!started) return undefined;
  return Math.max(0, ((finished ? Date.parse(finished) : now) - Date.parse(started)) / 1000);
}
