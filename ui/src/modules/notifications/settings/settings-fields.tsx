import { NumberInput, Select, Switch, TextInput } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { SettingsDocument } from "@/api/settings-document";
import { SecretField } from "@/components/form/secret-field";
import { zonesWith } from "@/components/form/zones";
import classes from "../notifications.module.css";
import type { Settings, SettingsFields } from "./settings-document";

interface PartProps {
  view: Settings;
  document: SettingsDocument<Settings>;
  values: SettingsFields;
  field: (path: Extract<keyof SettingsFields, string>) => Record<string, unknown>;
  set: (path: string, value: unknown) => void;
}

/** Where messages go: the bot, the chat, and the way to the messenger. */
export function MessengerFields({ view, document, values, field, set }: PartProps) {
  const { t } = useTranslation("notifications");
  const { t: app } = useTranslation("app");
  const variable = document.variables?.find((one) => one.field === "messenger_api_root");
  const token = field("bot_token");
  const proxy = field("proxy");
  return (
    <>
      <div className={classes.partHead}>
        <h3 className={classes.partTitle}>{t("kind.messenger")}</h3>
        <p className="soft">{t("settings.messengerText")}</p>
      </div>
      <SecretField
        id="setting-bot_token"
        label={t("settings.token")}
        description={t("settings.tokenHelp")}
        stored={view.messenger.has_bot_token}
        value={values.bot_token}
        onChange={(value) => set("bot_token", value)}
        drop={{
          label: t("settings.dropToken"),
          value: values.drop_bot_token,
          onChange: (value) => set("drop_bot_token", value),
        }}
        error={token.error as string}
        disabled={token.disabled as boolean}
      />
      <div className={classes.pair}>
        <TextInput
          label={t("settings.chat")}
          description={t("settings.chatHelp")}
          maxLength={64}
          spellCheck={false}
          {...field("chat_id")}
        />
        <NumberInput
          label={t("settings.thread")}
          description={t("settings.threadHelp")}
          min={0}
          allowDecimal={false}
          hideControls
          {...field("thread_id")}
        />
      </div>
      <TextInput
        label={t("settings.root")}
        description={
          variable
            ? app(`settings.holds.${sourceOf(variable)}`, { variable: variable.variable, value: variable.value })
            : t("settings.rootHelp")
        }
        placeholder={variable?.value}
        spellCheck={false}
        inputMode="url"
        maxLength={300}
        {...field("messenger_api_root")}
      />
      <SecretField
        id="setting-proxy"
        label={t("settings.proxy")}
        description={t("settings.proxyHelp")}
        stored={view.messenger.has_proxy}
        value={values.proxy}
        onChange={(value) => set("proxy", value)}
        drop={{
          label: t("settings.dropProxy"),
          value: values.drop_proxy,
          onChange: (value) => set("drop_proxy", value),
        }}
        error={proxy.error as string}
        disabled={proxy.disabled as boolean}
      />
    </>
  );
}

function sourceOf({ holds, given }: { holds: boolean; given: boolean }) {
  if (holds) return given ? "variable" : "default";
  return given ? "document" : "documentAlone";
}

/** Hours in which only what is critical is sent. */
export function QuietFields({ values, field }: PartProps) {
  const { t } = useTranslation("notifications");
  const zones = useMemo(() => zonesWith(values.zone), [values.zone]);
  return (
    <div className={classes.part}>
      <Switch label={t("settings.quiet")} description={t("settings.quietHelp")} {...field("quiet")} />
      <div className={classes.pair}>
        <TextInput type="time" label={t("settings.from")} {...field("from")} />
        <TextInput type="time" label={t("settings.to")} description={overnight(values, t)} {...field("to")} />
      </div>
      <Select
        label={t("settings.zone")}
        description={t("settings.zoneHelp")}
        data={zones}
        searchable
        limit={60}
        allowDeselect={false}
        nothingFoundMessage={t("settings.noZone")}
        {...field("zone")}
      />
    </div>
  );
}

function overnight({ quiet, from, to }: SettingsFields, t: (key: "settings.overnight") => string) {
  return quiet && from > to ? t("settings.overnight") : undefined;
}

/** The language in which messages are written. */
export function LanguageFields({ field }: PartProps) {
  const { t } = useTranslation("notifications");
  return (
    <div className={classes.part}>
      <Select
        label={t("settings.language")}
        description={t("settings.languageHelp")}
        data={[
          { value: "en", label: "English" },
          { value: "ru", label: "Русский" },
        ]}
        allowDeselect={false}
        {...field("language")}
      />
    </div>
  );
}
