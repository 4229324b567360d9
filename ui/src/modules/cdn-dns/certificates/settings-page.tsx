import { Switch, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { SecretField } from "@/components/form/secret-field";
import { Segmented } from "@/components/form/segmented";
import { SettingsForm } from "@/components/form/settings-form";
import classes from "../cdn-dns.module.css";
import { DomainsHeader } from "../header";
import { fieldsOf, useCertificateSettings, type Settings, type SettingsFields } from "./certificate-settings";

/** Where certificates are ordered, and what the panel does by itself afterwards. */
export default function SettingsPage() {
  const { t } = useTranslation("cdn-dns");
  const document = useCertificateSettings();
  return (
    <>
      <DomainsHeader current="settings" />
      <SettingsForm<Settings, SettingsFields>
        title={t("settings.title")}
        document={document}
        rule={{ needs: "dns.manage", feature: "cdndns" }}
        valuesOf={fieldsOf}
        validate={{
          directory: (value, { authority }) =>
            authority === "other" && !/^https:\/\/\S+$/.test(value.trim()) ? t("settings.directoryWrong") : null,
          key_id: (value, { mac_key, drop_mac_key }) =>
            mac_key.trim() && !drop_mac_key && !value.trim() ? t("settings.keyIdMissing") : null,
        }}
      >
        {({ view, values, field, form }) => (
          <>
            <AuthorityFields values={values} field={field} set={form.setFieldValue as SetField} />
            <TextInput
              label={t("settings.email")}
              description={t("settings.emailHelp")}
              inputMode="email"
              autoComplete="off"
              maxLength={254}
              {...field("email")}
            />
            <AccountFields view={view} values={values} field={field} set={form.setFieldValue as SetField} />
            <section className={classes.part}>
              <h3 className={classes.partTitle}>{t("settings.renewal")}</h3>
              <p className="soft">{t("settings.renewalText")}</p>
              <p className="soft">{t("settings.warning")}</p>
            </section>
          </>
        )}
      </SettingsForm>
    </>
  );
}

type SetField = (path: string, value: unknown) => void;

interface PartProps {
  values: SettingsFields;
  field: (path: Extract<keyof SettingsFields, string>) => Record<string, unknown>;
  set: SetField;
}

function AuthorityFields({ values, field, set }: PartProps) {
  const { t } = useTranslation("cdn-dns");
  const { disabled } = field("authority");
  return (
    <>
      <div className={classes.choice}>
        <span className={classes.choiceLabel}>{t("settings.authority")}</span>
        <Segmented<SettingsFields["authority"]>
          label={t("settings.authority")}
          value={values.authority}
          onChange={(next) => !disabled && set("authority", next)}
          options={[
            { value: "letsencrypt", label: "Let's Encrypt" },
            { value: "other", label: t("settings.other") },
          ]}
        />
      </div>
      {values.authority === "letsencrypt" ? (
        <Switch label={t("settings.staging")} description={t("settings.stagingHelp")} {...field("staging")} />
      ) : (
        <>
          <TextInput
            label={t("settings.directory")}
            description={t("settings.directoryHelp")}
            placeholder="https://ca.example/acme/directory"
            inputMode="url"
            spellCheck={false}
            maxLength={300}
            {...field("directory")}
          />
          <Textarea
            label={t("settings.roots")}
            description={t("settings.rootsHelp")}
            placeholder="-----BEGIN CERTIFICATE-----"
            rows={4}
            spellCheck={false}
            maxLength={65_536}
            classNames={{ input: classes.pemText }}
            {...field("roots")}
          />
        </>
      )}
    </>
  );
}

/** The account that the operator has with the authority, which some demand. */
function AccountFields({ view, values, field, set }: PartProps & { view: Settings }) {
  const { t } = useTranslation("cdn-dns");
  const key = field("mac_key");
  return (
    <section className={classes.part}>
      <div>
        <h3 className={classes.partTitle}>{t("settings.account")}</h3>
        <p className="soft">{t("settings.accountText")}</p>
      </div>
      <TextInput
        label={t("settings.keyId")}
        autoComplete="off"
        spellCheck={false}
        maxLength={300}
        {...field("key_id")}
      />
      <SecretField
        id="setting-mac_key"
        label={t("settings.macKey")}
        description={t("settings.macKeyHelp")}
        stored={view.external_account.has_mac_key}
        value={values.mac_key}
        onChange={(value) => set("mac_key", value)}
        drop={{
          label: t("settings.dropAccount"),
          value: values.drop_mac_key,
          onChange: (value) => set("drop_mac_key", value),
        }}
        error={key.error as string}
        disabled={key.disabled as boolean}
      />
    </section>
  );
}
