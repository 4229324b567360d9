import { useTranslation } from "react-i18next";
import { SettingsForm } from "@/components/form/settings-form";
import { useTestMessenger } from "../api";
import { useBlock } from "../header";
import { MessengerTest } from "../messenger-test";
import { fieldsOf, useNotificationSettings, type Settings, type SettingsFields } from "./settings-document";
import { LanguageFields, MessengerFields, QuietFields } from "./settings-fields";

/** The messenger, quiet hours and language: on the page of notifications and on the settings screen. */
export default function SettingsSection() {
  const { t } = useTranslation("notifications");
  const document = useNotificationSettings();
  const test = useTestMessenger();
  const block = useBlock();
  return (
    <SettingsForm<Settings, SettingsFields>
      title={t("settings.title")}
      document={document}
      rule={{ needs: "notifications.manage", feature: "notifications" }}
      valuesOf={fieldsOf}
      validate={{
        thread_id: (value) => (value === "" || Number.isInteger(Number(value)) ? null : t("settings.threadWrong")),
        from: (value) => (isTime(value) ? null : t("settings.timeWrong")),
        to: (value) => (isTime(value) ? null : t("settings.timeWrong")),
      }}
    >
      {({ view, document: read, values, field, form }) => {
        const parts = { view, document: read, values, field, set: form.setFieldValue as SetField };
        const unsaved = JSON.stringify(values) === JSON.stringify(fieldsOf(view, read)) ? undefined : t("test.unsaved");
        return (
          <>
            <MessengerFields {...parts} />
            <MessengerTest
              test={{
                run: () => test.mutate(),
                busy: test.isPending,
                sent: test.isSuccess,
                error: test.error,
              }}
              reason={block ?? unsaved}
              missing={view.messenger.has_bot_token ? "setting-chat_id" : "setting-bot_token"}
            />
            <QuietFields {...parts} />
            <LanguageFields {...parts} />
          </>
        );
      }}
    </SettingsForm>
  );
}

type SetField = (path: string, value: unknown) => void;

const isTime = (value: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(value);
