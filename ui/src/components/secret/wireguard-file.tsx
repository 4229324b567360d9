import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/action/copy-button";

/** What stands between the code of a WireGuard client and its link: the file that the program of WireGuard takes. */
export function WireGuardFile({ conf }: { conf: string }) {
  const { t } = useTranslation("app");
  return (
    <>
      <p className="soft">{t("secret.fileHelp")}</p>
      <div>
        <CopyButton value={conf} what={t("secret.file")} text={t("secret.copyFile")} iconOnly={false} />
      </div>
    </>
  );
}
