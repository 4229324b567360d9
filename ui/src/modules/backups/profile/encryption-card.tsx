import { Checkbox, Radio, Select, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { SecretField } from "@/components/form/secret-field";
import { Card } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import classes from "../backups.module.css";
import type { FormErrors } from "./form-errors";
import { fieldId, withMode, type EncryptionMode, type ProfileDraft, type Telemetry } from "./profile-draft";

export interface PartProps {
  draft: ProfileDraft;
  set: (next: Partial<ProfileDraft>) => void;
  errors: FormErrors;
  block: string | undefined;
}

const modes: readonly EncryptionMode[] = ["passphrase", "age", "none"];

/** Who can read a backup. */
export function EncryptionCard({ draft, set, errors, block }: PartProps) {
  const { t } = useTranslation("backups");
  const disabled = block !== undefined;
  return (
    <Card title={t("encryption.title")}>
      <div className={classes.fields}>
        <Radio.Group
          aria-label={t("encryption.title")}
          value={draft.mode}
          onChange={(mode) => set(withMode(draft, mode as EncryptionMode))}
        >
          <div className={classes.choices}>
            {modes.map((mode) => (
              <Radio
                key={mode}
                value={mode}
                label={t(`encryption.${mode}`)}
                description={t(`encryption.${mode}Help`)}
                disabled={disabled}
              />
            ))}
          </div>
        </Radio.Group>
        {draft.mode === "passphrase" && (
          <>
            <SecretField
              id={fieldId("passphrase")}
              label={t("encryption.passphraseField")}
              description={t("encryption.passphraseFieldHelp")}
              stored={draft.hasPassphrase}
              value={draft.passphrase}
              onChange={(passphrase) => set({ passphrase })}
              error={errors.of("passphrase")}
              disabled={disabled}
            />
          </>
        )}
        {draft.mode === "age" && (
          <TextInput
            id={fieldId("recipient")}
            label={t("encryption.recipient")}
            description={t("encryption.recipientHelp")}
            placeholder="age1…"
            value={draft.recipient}
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            classNames={{ input: "mono" }}
            onChange={(event) => set({ recipient: event.currentTarget.value })}
            error={errors.of("recipient")}
            disabled={disabled}
          />
        )}
        {draft.mode === "none" && (
          <p className={classes.warning} role="note">
            <Glyph kind="degraded" />
            <span>{t("encryption.noneWarning")}</span>
          </p>
        )}
      </div>
    </Card>
  );
}

/** What a backup holds beside the database. */
export function ContentCard({ draft, set, block }: PartProps) {
  const { t } = useTranslation("backups");
  const disabled = block !== undefined;
  const plain = draft.mode === "none";
  return (
    <Card title={t("content.title")}>
      <div className={classes.fields}>
        <p className="soft">{t("content.always")}</p>
        <Select
          label={t("content.telemetry")}
          data={(["all", "rollups", "none"] as const).map((value) => ({ value, label: t(`content.${value}`) }))}
          value={draft.telemetry}
          onChange={(telemetry) => set({ telemetry: (telemetry ?? "all") as Telemetry })}
          allowDeselect={false}
          disabled={disabled}
        />
        <Checkbox
          label={t("content.secretStore")}
          description={t(plain ? "content.secretStorePlain" : "content.secretStoreHelp")}
          checked={draft.secretStore}
          onChange={(event) => set({ secretStore: event.currentTarget.checked })}
          disabled={disabled || plain}
        />
        <Checkbox
          label={t("content.config")}
          description={t("content.configHelp")}
          checked={draft.config}
          onChange={(event) => set({ config: event.currentTarget.checked })}
          disabled={disabled}
        />
      </div>
    </Card>
  );
}
