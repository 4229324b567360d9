import { NumberInput, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSettingsDocument } from "@/api/settings-document";
import { Action } from "@/components/action/action";
import { SecretField } from "@/components/form/secret-field";
import { Segmented } from "@/components/form/segmented";
import { SettingsForm } from "@/components/form/settings-form";
import { modelCalls, type ModelChange, type ModelSettings } from "../api";
import classes from "../assistant.module.css";
import { PreviewDialog } from "./preview-dialog";

type Values = ModelChange & Record<string, unknown>;

/** A language model that answers in place of the panel's own engine. It is off until somebody switches it on. */
export default function SettingsSection() {
  const { t } = useTranslation("assistant");
  const document = useSettingsDocument<ModelSettings, Values>("assistant", modelCalls);
  const [showing, setShowing] = useState(false);
  return (
    <>
      <SettingsForm<ModelSettings, Values>
        title={t("settings.title")}
        document={document}
        rule={{ needs: "settings.manage", feature: "assistant" }}
        valuesOf={valuesOf}
      >
        {({ view, values, field, form }) => (
          <>
            <p className="soft">{t("settings.lead")}</p>
            <Switch label={t("settings.enabled")} {...field("enabled")} />
            <Segmented
              label={t("settings.kind")}
              value={values.kind}
              onChange={(kind) => form.setFieldValue("kind", kind as never)}
              options={[
                { value: "openai", label: t("settings.openai") },
                { value: "anthropic", label: "Anthropic" },
              ]}
            />
            <div className={classes.pair}>
              <TextInput label={t("settings.address")} description={t("settings.addressHelp")} {...field("address")} />
              <TextInput label={t("settings.model")} description={t("settings.modelHelp")} {...field("model")} />
            </div>
            <SecretField
              label={t("settings.key")}
              description={t("settings.keyHelp")}
              stored={view.has_key}
              {...(field("key") as { id: string; value: string })}
              value={values.key ?? ""}
              onChange={(key) => form.setFieldValue("key", key as never)}
            />
            <div className={classes.pair}>
              <NumberInput label={t("settings.tokens")} min={0} thousandSeparator=" " {...field("tokens_per_day")} />
              <NumberInput label={t("settings.cost")} min={0} decimalScale={2} {...field("cost_per_day")} />
              <NumberInput label={t("settings.priceIn")} min={0} decimalScale={4} {...field("price_in")} />
              <NumberInput label={t("settings.priceOut")} min={0} decimalScale={4} {...field("price_out")} />
            </div>
            <div>
              <Action onClick={() => setShowing(true)}>{t("preview.open")}</Action>
            </div>
          </>
        )}
      </SettingsForm>
      {showing && <PreviewDialog onClose={() => setShowing(false)} />}
    </>
  );
}

function valuesOf({ has_key: _, ...settings }: ModelSettings): Values {
  return { ...settings, key: "" } as Values;
}
