import { NumberInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSettingsDocument } from "@/api/settings-document";
import { SettingsForm } from "@/components/form/settings-form";
import { settingsCalls, type Settings } from "./api";

type Fields = Settings & Record<string, unknown>;

const mostDays = 90;
const mostAddressDays = 14;

/** How long what agents tell of abuse is kept. */
export default function SettingsSection() {
  const { t } = useTranslation("abuse");
  const document = useSettingsDocument<Settings, Fields>("abuse", settingsCalls);
  return (
    <SettingsForm
      title={t("settings.title")}
      document={document}
      rule={{ needs: "abuse.manage" }}
      valuesOf={(settings): Fields => ({ ...settings })}
    >
      {({ field }) => (
        <>
          <NumberInput
            label={t("settings.keep")}
            description={t("settings.keepHelp")}
            min={1}
            max={mostDays}
            allowDecimal={false}
            hideControls
            {...field("keep_days")}
          />
          <NumberInput
            label={t("settings.addresses")}
            description={t("settings.addressesHelp")}
            min={1}
            max={mostAddressDays}
            allowDecimal={false}
            hideControls
            {...field("keep_address_days")}
          />
        </>
      )}
    </SettingsForm>
  );
}
