import { Select, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "../backups.module.css";
import type { ScheduleDraft, ScheduleMode } from "../shared/schedule";

interface ScheduleProps {
  id: string;
  label: string;
  description?: string;
  /** What the choice of no schedule is called. */
  never: string;
  value: ScheduleDraft;
  onChange: (next: ScheduleDraft) => void;
  error: string | undefined;
  disabled: boolean;
}

/** When something happens by itself: a common rhythm, or a rule of cron. */
export function ScheduleField({ id, label, description, never, value, onChange, error, disabled }: ScheduleProps) {
  const { t } = useTranslation("backups");
  const modes: ScheduleMode[] = ["daily", "weekly", "hourly", "custom", "manual"];
  const timed = value.mode === "daily" || value.mode === "weekly";
  // The field that takes the focus when the schedule is refused.
  const ids = { mode: value.mode === "manual" ? id : `${id}-mode`, rest: id };
  return (
    <div className={classes.schedule}>
      <Select
        id={ids.mode}
        label={label}
        description={description}
        data={modes.map((mode) => ({ value: mode, label: mode === "manual" ? never : t(`schedule.mode.${mode}`) }))}
        value={value.mode}
        onChange={(mode) => onChange({ ...value, mode: (mode ?? "manual") as ScheduleMode })}
        allowDeselect={false}
        disabled={disabled}
        error={value.mode === "manual" ? error : undefined}
      />
      {value.mode === "weekly" && (
        <Select
          label={t("schedule.day")}
          data={["1", "2", "3", "4", "5", "6", "0"].map((day) => ({
            value: day,
            label: t(`schedule.days.${day as "0"}`),
          }))}
          value={value.day}
          onChange={(day) => onChange({ ...value, day: day ?? "0" })}
          allowDeselect={false}
          disabled={disabled}
        />
      )}
      {timed && (
        <TextInput
          id={ids.rest}
          type="time"
          label={t("schedule.time")}
          value={value.time}
          onChange={(event) => onChange({ ...value, time: event.currentTarget.value })}
          error={error}
          disabled={disabled}
        />
      )}
      {value.mode === "hourly" && (
        <Select
          id={ids.rest}
          label={t("schedule.minute")}
          data={["00", "05", "10", "15", "20", "25", "30", "35", "40", "45", "50", "55", value.time.slice(3)]
            .filter((minute, at, all) => minute && all.indexOf(minute) === at)
            .map((minute) => ({ value: minute, label: `:${minute}` }))}
          value={value.time.slice(3)}
          onChange={(minute) => onChange({ ...value, time: `00:${minute ?? "00"}` })}
          allowDeselect={false}
          error={error}
          disabled={disabled}
        />
      )}
      {value.mode === "custom" && (
        <TextInput
          id={ids.rest}
          className={classes.cron}
          label={t("schedule.cron")}
          description={t("schedule.cronHelp")}
          value={value.cron}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: "mono" }}
          onChange={(event) => onChange({ ...value, cron: event.currentTarget.value })}
          error={error}
          disabled={disabled}
        />
      )}
    </div>
  );
}
