import { useTranslation } from "react-i18next";
import { useAccess, useWriteBlock } from "@/api/access";
import type { Permission } from "./areas";
import type { Account } from "../directory/api";
import { covers, everything, lacking } from "./permissions";

/** The panel names its permissions in English; other languages have words here for those that they know. */
export function useKeyWords(): (permission: Permission) => string {
  const { t } = useTranslation("words");
  return (permission) => t(`key.${permission.key}`, { defaultValue: permission.summary });
}

/** Why an account is closed to the one who looks at it, or undefined when it is open. */
export function useAccountBlock(): (account: Account) => string | undefined {
  const { t } = useTranslation("accounts");
  const { permissions } = useAccess();
  const block = useWriteBlock({ needs: "accounts.manage" });
  return (account) =>
    block ??
    (covers(permissions, account.permissions)
      ? undefined
      : t("block.holdsMore", { keys: lacking(permissions, account.permissions).join(", ") }));
}

/** Why a key cannot be given: nobody grants what he lacks. */
export function useGrantBlock(): (key: string) => string | undefined {
  const { t } = useTranslation("accounts");
  const { permissions } = useAccess();
  return (key) => {
    if (covers(permissions, [key])) return undefined;
    return key === everything ? t("block.grantAll") : t("block.grant", { key });
  };
}
