import { Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSettingsDocument } from "@/api/settings-document";
import { SettingsForm } from "@/components/form/settings-form";
import { VariableSelect, ownOrVariable } from "@/components/form/variable-select";
import { settingsCalls, type SettingsFields, type UpdateSettings } from "./api";

/** What administrators choose about newer releases, on the settings screen. */
export default function SettingsSection() {
  const { t } = useTranslation("updates");
  const document = useSettingsDocument<UpdateSettings, SettingsFields>("updates", settingsCalls);
  return (
    <SettingsForm
      title={t("settings.title")}
      document={document}
      rule={{ needs: "settings.manage" }}
      valuesOf={(settings, read): SettingsFields => ({
        channel: ownOrVariable(read, "channel", settings.channel),
        check: settings.check,
      })}
    >
      {({ document, field }) => (
        <>
          <VariableSelect
            label={t("settings.channel")}
            document={document}
            names={{ stable: t("panel.channels.stable"), dev: t("panel.channels.dev") }}
            field="channel"
            {...field("channel")}
          />
          <Switch label={t("settings.check")} description={t("settings.checkHelp")} {...field("check")} />
        </>
      )}
    </SettingsForm>
  );
}
