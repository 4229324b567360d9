import { MultiSelect, Select, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { serverNow } from "@/api/server-clock";
import { Action } from "@/components/action/action";
import { DateTimeField } from "@/components/form/date-time-field";
import { zonesWith } from "@/components/form/zones";
import type { Window } from "./api";
import { Numbers } from "./numbers";
import classes from "./policies.module.css";
import { errorUnder } from "./policy-form";

interface WindowFieldsProps {
  windows: Window[];
  wrong: Record<string, string>;
  onChange: (windows: Window[]) => void;
}

const mostWindows = 32;
const hour = 3_600_000;
const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** Times in which what is down raises no alert. */
export function WindowFields({ windows, wrong, onChange }: WindowFieldsProps) {
  const { t } = useTranslation("health");
  const put = (at: number, window: Window) => onChange(windows.map((one, i) => (i === at ? window : one)));
  const once = (): Window => ({
    from: new Date(serverNow()).toISOString(),
    until: new Date(serverNow() + hour).toISOString(),
  });
  const weekly = (): Window => ({
    weekdays: ["sun"],
    start: "03:30",
    minutes: 60,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  return (
    <fieldset className={classes.group}>
      <legend>{t("policy.windows")}</legend>
      {windows.map((window, at) => (
        <WindowRow
          key={at}
          window={window}
          name={t("policy.window", { number: at + 1 })}
          error={(part) => errorUnder(wrong, `maintenance_windows[${at}].${part}`)}
          onChange={(changed) => put(at, changed)}
          onRemove={() => onChange(windows.filter((_, i) => i !== at))}
        />
      ))}
      {windows.length < mostWindows && (
        <div className={classes.acts}>
          <Action size="bar" icon={IconPlus} onClick={() => onChange([...windows, weekly()])}>
            {t("policy.addWeekly")}
          </Action>
          <Action size="bar" icon={IconPlus} onClick={() => onChange([...windows, once()])}>
            {t("policy.addOnce")}
          </Action>
        </div>
      )}
    </fieldset>
  );
}

interface WindowRowProps {
  window: Window;
  name: string;
  error: (part: string) => string | undefined;
  onChange: (window: Window) => void;
  onRemove: () => void;
}

function WindowRow({ window, name, error, onChange, onRemove }: WindowRowProps) {
  const { t } = useTranslation("health");
  const set = (some: Partial<Window>) => onChange({ ...window, ...some });
  return (
    <div className={classes.rule} role="group" aria-label={name}>
      <div className={classes.ruleHead}>
        {name}
        <Action kind="ghost" size="bar" iconOnly icon={IconTrash} onClick={onRemove}>
          {t("policy.removeWindow", { name })}
        </Action>
      </div>
      {window.from !== undefined ? (
        <div className={classes.pair}>
          <DateTimeField
            size="md"
            label={t("policy.from")}
            value={window.from}
            error={error("from")}
            onChange={(from) => set({ from: from ?? "" })}
          />
          <DateTimeField
            size="md"
            label={t("policy.until")}
            value={window.until}
            error={error("until")}
            onChange={(until) => set({ until: until ?? "" })}
          />
        </div>
      ) : (
        <WeeklyFields window={window} error={error} set={set} />
      )}
      <TextInput
        size="md"
        label={t("policy.note")}
        maxLength={200}
        value={window.note ?? ""}
        error={error("note")}
        onChange={(event) => set({ note: event.currentTarget.value })}
      />
    </div>
  );
}

interface WeeklyFieldsProps extends Pick<WindowRowProps, "window" | "error"> {
  set: (some: Partial<Window>) => void;
}

function WeeklyFields({ window, error, set }: WeeklyFieldsProps) {
  const { t } = useTranslation("health");
  return (
    <>
      <MultiSelect
        size="md"
        label={t("policy.weekdays")}
        data={weekdays.map((value) => ({ value, label: t(`weekday.${value}`) }))}
        value={window.weekdays ?? []}
        error={error("weekdays")}
        onChange={(days) => set({ weekdays: days as Window["weekdays"] & string[] })}
      />
      <div className={classes.pair}>
        <TextInput
          size="md"
          type="time"
          label={t("policy.start")}
          value={window.start ?? ""}
          error={error("start")}
          onChange={(event) => set({ start: event.currentTarget.value })}
        />
        <Numbers
          label={t("policy.length")}
          least={1}
          most={1_440}
          value={window.minutes ?? 60}
          error={error("minutes")}
          onChange={(minutes) => set({ minutes })}
        />
      </div>
      <Select
        size="md"
        searchable
        allowDeselect={false}
        label={t("policy.zone")}
        data={zonesWith(window.zone ?? "UTC")}
        value={window.zone || "UTC"}
        error={error("zone")}
        onChange={(zone) => zone && set({ zone })}
      />
    </>
  );
}
