import { PasswordInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** One's own password again, before a change of what guards the account. */
export function OwnPassword({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (value: string) => void;
  error: ReactNode;
}) {
  const { t } = useTranslation("security");
  return (
    <PasswordInput
      size="md"
      id="own-password"
      data-autofocus
      autoComplete="current-password"
      label={t("ownPassword.label")}
      description={t("ownPassword.help")}
      visibilityToggleButtonProps={{ "aria-label": t("show"), "aria-hidden": undefined, tabIndex: 0 }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
    />
  );
}
