import { Checkbox, PasswordInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./secret-field.module.css";

interface SecretProps {
  id: string;
  label: string;
  description?: ReactNode;
  /** One is stored; it is never shown. */
  stored: boolean;
  value: string;
  onChange: (value: string) => void;
  /** Whether the stored one is to be removed; without it, it can only be replaced. */
  drop?: { label: string; value: boolean; onChange: (value: boolean) => void };
  error?: ReactNode;
  disabled?: boolean;
}

/** A secret that is written and never read: an empty field keeps what is stored. */
export function SecretField({ id, label, description, stored, value, onChange, drop, error, disabled }: SecretProps) {
  const { t } = useTranslation("app");
  const dropped = drop?.value ?? false;
  return (
    <div className={classes.secret}>
      <PasswordInput
        id={id}
        classNames={{ innerInput: classes.input }}
        label={label}
        description={description}
        placeholder={stored ? t(dropped ? "secret.dropped" : "secret.stored") : undefined}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        autoComplete="new-password"
        spellCheck={false}
        error={error}
        disabled={disabled === true || dropped}
        visibilityToggleButtonProps={{ "aria-label": t("secret.show", { name: label }) }}
      />
      {stored && drop && (
        <Checkbox
          label={drop.label}
          checked={dropped}
          onChange={(event) => drop.onChange(event.currentTarget.checked)}
          disabled={disabled}
        />
      )}
    </div>
  );
}
