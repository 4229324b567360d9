import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { SecretField } from "@/components/form/secret-field";
import type { Keys, Profile } from "../shared/api";

export type KeysDraft = Required<Keys>;

export const noKeys: KeysDraft = { identity: "", passphrase: "", master_key: "" };

/** The keys that were given; what is empty is left to the panel. */
export function givenKeys(draft: KeysDraft): Keys {
  const given = Object.entries(draft).map(([name, key]) => [name, key.trim()] as const);
  return Object.fromEntries(given.filter(([, key]) => key !== ""));
}

interface KeyFieldsProps {
  /** How backups of the profile are encrypted now; undefined while it is not known. */
  encryption: Profile["encryption"]["mode"] | undefined;
  /** The panel has said that the backup belongs to another master key. */
  mismatch: boolean;
  keys: KeysDraft;
  onChange: (next: Partial<KeysDraft>) => void;
}

/** What opens a backup that the panel cannot open by itself; it is used once and kept nowhere. */
export function KeyFields({ encryption, mismatch, keys, onChange }: KeyFieldsProps) {
  const { t } = useTranslation("backups");
  const [older, setOlder] = useState(false);
  return (
    <>
      {encryption === "age" && (
        <SecretField
          id="key-identity"
          label={t("keys.identity")}
          description={t("keys.identityHelp")}
          stored={false}
          value={keys.identity}
          onChange={(identity) => onChange({ identity })}
        />
      )}
      {(mismatch || older) && (
        <SecretField
          id="key-master"
          label={t("keys.master")}
          description={t("keys.masterHelp")}
          stored={false}
          value={keys.master_key}
          onChange={(key) => onChange({ master_key: key })}
        />
      )}
      {older && (
        <SecretField
          id="key-passphrase"
          label={t("keys.passphrase")}
          description={t("keys.passphraseHelp")}
          stored={false}
          value={keys.passphrase}
          onChange={(passphrase) => onChange({ passphrase })}
        />
      )}
      {!older && (
        <div>
          <Action kind="link" onClick={() => setOlder(true)}>
            {t("keys.older")}
          </Action>
        </div>
      )}
    </>
  );
}
