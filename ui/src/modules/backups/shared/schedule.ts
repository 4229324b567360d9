/** The schedules that people choose from; any other rule is written as cron. */
export type ScheduleMode = "daily" | "weekly" | "hourly" | "manual" | "custom";

export interface ScheduleDraft {
  mode: ScheduleMode;
  /** Hour and minute: "03:30". An hourly one takes the minute. */
  time: string;
  /** Day of the week as cron counts: 0 is Sunday. */
  day: string;
  /** The rule of five fields, for a schedule of its own. */
  cron: string;
}

const two = (text: string) => text.padStart(2, "0");

/** Reads a rule of cron; an empty one is by hand. */
export function scheduleOf(cron: string, fallback: Partial<ScheduleDraft> = {}): ScheduleDraft {
  const draft: ScheduleDraft = { mode: "custom", time: "03:30", day: "0", ...fallback, cron };
  if (cron === "") return { ...draft, mode: "manual" };
  const [, minute, hour, day] = /^(\d{1,2}) (\d{1,2}|\*) \* \* ([0-7]|\*)$/.exec(cron) ?? [];
  if (minute === undefined || hour === undefined || day === undefined) return draft;
  if (hour === "*") return day === "*" ? { ...draft, mode: "hourly", time: `00:${two(minute)}` } : draft;
  const time = `${two(hour)}:${two(minute)}`;
  if (day === "*") return { ...draft, mode: "daily", time };
  return { ...draft, mode: "weekly", time, day: day === "7" ? "0" : day };
}

/** The rule that a choice stands for. */
export function cronOf({ mode, time, day, cron }: ScheduleDraft): string {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  switch (mode) {
    case "manual":
      return "";
    case "hourly":
      return `${minute} * * * *`;
    case "daily":
      return `${minute} ${hour} * * *`;
    case "weekly":
      return `${minute} ${hour} * * ${day}`;
    case "custom":
      return cron.trim().replaceAll(/\s+/g, " ");
  }
}

export type ScheduleWrong = "time" | "cron";

/** What cannot be a schedule. Whether a rule of cron ever comes is the panel's to say. */
export function scheduleProblem({ mode, time, cron }: ScheduleDraft): ScheduleWrong | undefined {
  if (mode === "manual") return undefined;
  if (mode === "custom") return cron.trim().split(/\s+/).length === 5 ? undefined : "cron";
  return /^([01]\d|2[0-3]):[0-5]\d$/.test(time) ? undefined : "time";
}
