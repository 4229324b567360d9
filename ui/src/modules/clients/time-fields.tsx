import { NumberInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { DateTimeField } from "@/components/form/date-time-field";
import { mostDays, type Change, type Client } from "./api";
import classes from "./clients.module.css";

/** Until when a client may use its flows: a moment, or days that begin with its next use; neither is without an end. */
export interface Time {
  until?: string | undefined;
  days?: number | undefined;
}

export const timeOf = (client: Client | undefined): Time => ({
  until: client?.expires_at ?? undefined,
  days: client?.lasts_days ?? undefined,
});

/** What a request says of it; nothing while it stays as it is, for saying it anew would begin it anew. */
export function ending(
  time: Time,
  client: Client | undefined,
): Pick<Change, "expires_at" | "lasts_days" | "never_expires"> {
  const before = timeOf(client);
  if (time.until === before.until && time.days === before.days) return {};
  if (time.until) return { expires_at: time.until };
  return time.days ? { lasts_days: time.days } : { never_expires: true };
}

interface TimeFieldsProps {
  time: Time;
  onChange: (time: Time) => void;
  /** It was seen before, so that its time would begin with the next use. */
  seen: boolean;
  ids: { until: string; days: string };
  errors: { until?: string | undefined; days?: string | undefined };
}

/** Either field empties the other. */
export function TimeFields({ time, onChange, seen, ids, errors }: TimeFieldsProps) {
  const { t } = useTranslation("clients");
  return (
    <div className={classes.limits}>
      <DateTimeField
        size="md"
        id={ids.until}
        label={t("columns.expires")}
        description={t("form.expiresHelp")}
        value={time.until}
        onChange={(until) => onChange({ until })}
        error={errors.until}
      />
      <NumberInput
        size="md"
        id={ids.days}
        label={t(seen ? "form.daysNext" : "form.daysFirst")}
        description={t("form.daysHelp")}
        min={1}
        max={mostDays}
        clampBehavior="strict"
        allowDecimal={false}
        allowNegative={false}
        value={time.days ?? ""}
        onChange={(days) => onChange({ days: Number(days) || undefined })}
        error={errors.days}
      />
    </div>
  );
}
