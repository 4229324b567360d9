import { useTranslation } from "react-i18next";
import { Status } from "@/components/status/status";
import type { Account } from "./api";

/** What an account shows beside its password at sign-in. */
export function SecondFactors({ account }: { account: Account }) {
  const { t } = useTranslation("accounts");
  const held = [
    account.totp_enabled && t("factor.app"),
    account.passkeys > 0 && t("factor.passkeys", { count: account.passkeys }),
  ].filter(Boolean);
  if (held.length === 0) return <span className="dim">{t("factor.none")}</span>;
  return <Status kind="healthy">{held.join(", ")}</Status>;
}
