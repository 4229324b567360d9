import { IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DateTimeField } from "@/components/form/date-time-field";
import { Card } from "@/components/layout/card";
import type { Announcement } from "../api";
import { LocalisedField } from "../shared/localised";
import classes from "../statuspage.module.css";
import { languagesOf, newAnnouncement, type CardProps } from "./draft";

/** What stands on top of the page for a time. */
export function AnnouncementsCard({ draft, set, block, wrong }: CardProps) {
  const { t } = useTranslation("statuspage");
  const { announcements } = draft;
  const change = (at: number, some: Partial<Announcement>) =>
    set({ announcements: announcements.map((one, i) => (i === at ? { ...one, ...some } : one)) });
  return (
    <Card title={t("announcements.title")} aside={t("announcements.help")}>
      <div className={classes.stack}>
        {announcements.map((one, at) => (
          <AnnouncementFields
            key={one.id}
            value={one}
            number={at + 1}
            locales={languagesOf(draft)}
            disabled={block !== undefined}
            error={(field) => wrong[`announcements[${at}].${field}`]}
            onChange={(some) => change(at, some)}
            onRemove={() => set({ announcements: announcements.filter((_, i) => i !== at) })}
          />
        ))}
        <div>
          <Action
            icon={IconPlus}
            reason={block}
            onClick={() => set({ announcements: [...announcements, newAnnouncement()] })}
          >
            {t("announcements.add")}
          </Action>
        </div>
      </div>
    </Card>
  );
}

interface FieldsProps {
  value: Announcement;
  number: number;
  locales: readonly string[];
  disabled: boolean;
  error: (field: string) => string | undefined;
  onChange: (some: Partial<Announcement>) => void;
  onRemove: () => void;
}

function AnnouncementFields({ value, number, locales, disabled, error, onChange, onRemove }: FieldsProps) {
  const { t } = useTranslation("statuspage");
  const id = `announcement-${number}`;
  return (
    <fieldset className={classes.item} disabled={disabled}>
      <legend className="visually-hidden">{t("announcements.one", { number })}</legend>
      <LocalisedField
        id={`${id}-title`}
        label={t("announcements.headline")}
        required
        locales={locales}
        maxLength={200}
        value={value.titles}
        error={(locale) => error(`titles.${locale}`)}
        onChange={(titles) => onChange({ titles })}
      />
      <LocalisedField
        id={`${id}-body`}
        label={t("announcements.text")}
        locales={locales}
        maxLength={10_000}
        rows={2}
        value={value.bodies}
        error={(locale) => error(`bodies.${locale}`)}
        onChange={(bodies) => onChange({ bodies })}
      />
      <div className={classes.pair}>
        <DateTimeField
          size="md"
          label={t("announcements.from")}
          value={value.starts_at}
          error={error("starts_at")}
          onChange={(at) => at && onChange({ starts_at: at })}
        />
        <DateTimeField
          size="md"
          label={t("announcements.until")}
          value={value.ends_at ?? undefined}
          error={error("ends_at")}
          onChange={(at) => onChange({ ends_at: at ?? null })}
        />
      </div>
      <div>
        <Action kind="ghost" onClick={onRemove}>
          {t("announcements.remove")}
        </Action>
      </div>
    </fieldset>
  );
}
