import { NumberInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSettingsDocument } from "@/api/settings-document";
import { SettingsForm } from "@/components/form/settings-form";
import { settingsCalls, type Settings } from "./api";

type Fields = Settings & Record<string, unknown>;

/** The section of this module on the settings screen. */
export default function SettingsSection() {
  const { t } = useTranslation("health");
  const document = useSettingsDocument<Settings, Fields>("health", settingsCalls);
  return (
    <SettingsForm
      title={t("settings.title")}
      document={document}
      rule={{ needs: "health.manage" }}
      valuesOf={(settings): Fields => ({ ...settings })}
    >
      {({ field }) => (
        <NumberInput
          label={t("settings.most")}
          description={t("settings.mostHelp")}
          min={1}
          max={100_000}
          allowDecimal={false}
          hideControls
          {...field("most_items")}
        />
      )}
    </SettingsForm>
  );
}
