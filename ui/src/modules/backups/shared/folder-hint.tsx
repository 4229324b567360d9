import { useTranslation } from "react-i18next";
import { CodeBlock } from "@/components/text/code-block";
import classes from "../backups.module.css";

/** How the service gets the right to write into a folder outside its own. */
export function FolderHint({ folder }: { folder: string }) {
  const { t } = useTranslation("backups");
  const dropIn = `# systemctl edit panel.service
[Service]
Environment=PANEL_BACKUP_DIR=${folder}
ReadWritePaths=${folder}
# systemctl restart panel.service`;
  return (
    <div className={classes.hint}>
      <p className="soft">{t("local.dropIn")}</p>
      <CodeBlock value={dropIn} what={t("local.dropInName")} />
    </div>
  );
}
