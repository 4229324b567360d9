import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Glyph } from "@/components/status/glyph";
import { useLeaveGuard } from "./use-leave-guard";
import classes from "./save-bar.module.css";

/**
 * Sticks to the bottom while a form has unsaved changes, counts them and keeps the page from being left by accident.
 */
export function SaveBar({
  changes,
  children,
  onSave,
  onDiscard,
  busy,
  reason,
}: {
  changes: number;
  children?: ReactNode;
  onSave: () => void;
  onDiscard: () => void;
  busy?: boolean;
  reason?: string;
}) {
  const { t } = useTranslation("app");
  useLeaveGuard(changes > 0);
  if (changes === 0) return null;
  return (
    <div className={classes.bar} role="region" aria-label={t("save.region")}>
      <Glyph kind="draft" />
      <span className={classes.words}>
        <b>{t("save.changes", { count: changes })}</b> {children}
      </span>
      <Action kind="ghost" onClick={onDiscard}>
        {t("save.discard")}
      </Action>
      <Action kind="filled" onClick={onSave} busy={busy} reason={reason}>
        {t("save.save")}
      </Action>
    </div>
  );
}
