import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import classes from "./settings-form.module.css";

interface ConflictProps {
  /** Shows what holds now instead of what was typed. */
  onTheirs: () => void;
  /** Saves what was typed over what holds now. */
  onMine: () => void;
  busy: boolean;
}

/** Somebody else has saved settings since they were read: theirs or one's own. */
export function ConflictNote({ onTheirs, onMine, busy }: ConflictProps) {
  const { t } = useTranslation("app");
  return (
    <div className={classes.conflict} role="alert">
      <p className="strong">{t("settings.conflict")}</p>
      <p className="soft">{t("settings.conflictText")}</p>
      <div className={classes.acts}>
        <Action onClick={onTheirs}>{t("settings.theirs")}</Action>
        <Action kind="danger" busy={busy} onClick={onMine}>
          {t("settings.mine")}
        </Action>
      </div>
    </div>
  );
}
