import { useBlocker } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

/** Asks before a page with unsaved changes is left, by a link or by closing the tab. */
export function useLeaveGuard(dirty: boolean): void {
  const { t } = useTranslation("app");
  useBlocker({ shouldBlockFn: () => dirty && !window.confirm(t("save.leave")), enableBeforeUnload: () => dirty, disabled: !dirty });
}
