import { NumberInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { useSettingsDocument, type SettingsCalls } from "@/api/settings-document";
import { SecretField } from "@/components/form/secret-field";
import { SettingsForm } from "@/components/form/settings-form";

type Shown = components["schemas"]["ExternalShownSettings"];

/** The settings as fields. Money is in roubles; the key begins empty, which keeps the stored one. */
interface Fields extends Record<string, unknown> {
  api_key: string;
  drop_api_key: boolean;
  address: string;
  daily_cap: number | string;
  monthly_cap: number | string;
  min_interval_minutes: number | string;
  low_balance: number | string;
  drop_percent: number | string;
}

const path = "/api/v1/health/bscheck/settings";

export const fieldsOf = (shown: Shown): Fields => ({
  api_key: "",
  drop_api_key: false,
  address: shown.address,
  daily_cap: shown.daily_cap / 100,
  monthly_cap: shown.monthly_cap / 100,
  min_interval_minutes: shown.min_interval_minutes,
  low_balance: shown.low_balance / 100,
  drop_percent: shown.drop_percent,
});

const kopeks = (roubles: number | string) => Math.round(Number(roubles) * 100);

export function bodyOf(fields: Fields): components["schemas"]["ExternalSettings"] {
  const key = fields.drop_api_key ? "" : fields.api_key.trim() || undefined;
  return {
    ...(key !== undefined && { api_key: key }),
    address: fields.address.trim(),
    daily_cap: kopeks(fields.daily_cap),
    monthly_cap: kopeks(fields.monthly_cap),
    min_interval_minutes: Number(fields.min_interval_minutes),
    low_balance: kopeks(fields.low_balance),
    drop_percent: Number(fields.drop_percent),
  };
}

const calls: SettingsCalls<Shown, Fields> = {
  read: (signal) => answer(api.GET(path, { signal })),
  write: ({ revision, settings }) => answer(api.PUT(path, { body: { revision, settings: bodyOf(settings) } })),
};

/** The key of the service and what its checks may cost, on the settings screen. */
export default function SettingsSection() {
  const { t } = useTranslation("health");
  const document = useSettingsDocument<Shown, Fields>("health.bscheck", calls);
  return (
    <SettingsForm<Shown, Fields>
      title={t("external.settings.title")}
      document={document}
      rule={{ needs: "health.manage", feature: "health" }}
      valuesOf={fieldsOf}
    >
      {({ view, values, field, form }) => {
        const key = field("api_key");
        const money = (name: "daily_cap" | "monthly_cap" | "low_balance") => (
          <NumberInput
            label={t(`external.settings.${name}`)}
            description={t(`external.settings.${name}Help`)}
            min={0}
            decimalScale={2}
            suffix=" ₽"
            {...field(name)}
          />
        );
        return (
          <>
            <p className="soft">{t("external.settings.lead")}</p>
            <SecretField
              id="setting-api_key"
              label={t("external.settings.key")}
              description={t("external.settings.keyHelp")}
              stored={view.has_api_key}
              value={values.api_key}
              onChange={(value) => form.setFieldValue("api_key", value as never)}
              drop={{
                label: t("external.settings.dropKey"),
                value: values.drop_api_key,
                onChange: (value) => form.setFieldValue("drop_api_key", value as never),
              }}
              error={key.error as string | undefined}
              disabled={key.disabled === true}
            />
            {money("daily_cap")}
            {money("monthly_cap")}
            {money("low_balance")}
            <NumberInput
              label={t("external.settings.interval")}
              min={0}
              max={10_080}
              allowDecimal={false}
              {...field("min_interval_minutes")}
            />
            <NumberInput
              label={t("external.settings.drop")}
              description={t("external.settings.dropHelp")}
              min={1}
              max={100}
              allowDecimal={false}
              suffix=" %"
              {...field("drop_percent")}
            />
            <TextInput
              label={t("external.settings.address")}
              description={t("external.settings.addressHelp")}
              {...field("address")}
            />
          </>
        );
      }}
    </SettingsForm>
  );
}
