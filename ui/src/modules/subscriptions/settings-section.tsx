import { NumberInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSettingsDocument } from "@/api/settings-document";
import { SettingsForm } from "@/components/form/settings-form";
import { settingsCalls, type Settings, type SettingsFields } from "./api";

const longest = 168;

/** What clients' programs and the page of a subscription show, on the settings screen. */
export default function SettingsSection() {
  const { t } = useTranslation("subscriptions");
  const document = useSettingsDocument<Settings, SettingsFields>("subscriptions", settingsCalls);
  return (
    <SettingsForm<Settings, SettingsFields>
      title={t("settings.title")}
      document={document}
      rule={{ needs: "settings.manage" }}
      valuesOf={({ title, support, announcement, interval_hours }): SettingsFields => ({
        title,
        support,
        announcement,
        interval_hours,
      })}
      validate={{
        support: (value) => (value.trim() && !reachable.test(value.trim()) ? t("settings.supportWrong") : null),
        interval_hours: (value) => (hours(value) ? null : t("settings.intervalWrong")),
      }}
    >
      {({ field }) => (
        <>
          <p className="soft">{t("settings.lead")}</p>
          <TextInput
            label={t("settings.name")}
            description={t("settings.nameHelp")}
            autoComplete="off"
            maxLength={64}
            {...field("title")}
          />
          <TextInput
            label={t("settings.support")}
            description={t("settings.supportHelp")}
            placeholder="https://t.me/…"
            autoComplete="off"
            spellCheck={false}
            maxLength={300}
            {...field("support")}
          />
          <TextInput
            label={t("settings.announcement")}
            description={t("settings.announcementHelp")}
            autoComplete="off"
            maxLength={200}
            {...field("announcement")}
          />
          <NumberInput
            label={t("settings.interval")}
            description={t("settings.intervalHelp")}
            min={1}
            max={longest}
            clampBehavior="none"
            allowDecimal={false}
            {...field("interval_hours")}
          />
        </>
      )}
    </SettingsForm>
  );
}

/** The addresses that the panel takes; the rest it checks itself. */
const reachable = /^(https:\/\/\S|mailto:\S+@|tg:\S)/;

const hours = (value: number | string) => {
  const given = Number(value);
  return value !== "" && Number.isInteger(given) && given >= 1 && given <= longest;
};
