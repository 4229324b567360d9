import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { useFormat } from "@/text/use-format";
import classes from "./selection-bar.module.css";

/** Choosing everything that matches the filter, told apart from what is loaded. */
export interface EveryMatch {
  total: number;
  /** All of them are chosen. */
  chosen: boolean;
  busy: boolean;
  choose: () => void;
}

interface SelectionBarProps {
  count: number;
  onClear: () => void;
  every?: EveryMatch;
  children: ReactNode;
}

/** The bar on top of a table while rows are chosen; it never covers them. */
export function SelectionBar({ count, onClear, every, children }: SelectionBarProps) {
  const { t } = useTranslation("app");
  const format = useFormat();
  if (count === 0) return null;
  const shown = format.number(count);
  return (
    <div className={classes.bar} role="region" aria-label={t("table.selection")}>
      <span className={classes.count} role="status">
        {every?.chosen ? (
          <b>{t("table.everySelected", { count, shown })}</b>
        ) : (
          <>
            <b>{t("table.selected", { count, shown })}</b> {every && every.total > count && t("table.onPage")}
          </>
        )}
      </span>
      {every && !every.chosen && every.total > count && (
        <Action kind="link" busy={every.busy} onClick={every.choose}>
          {t("table.selectEvery", { count: every.total, shown: format.number(every.total) })}
        </Action>
      )}
      <div className={classes.acts}>
        {children}
        <Action size="bar" kind="ghost" onClick={onClear}>
          {t("table.clear")}
        </Action>
      </div>
    </div>
  );
}
