import { useTranslation } from "react-i18next";
import type { ReadRoute, RefusedCall } from "../api";
import classes from "./sheet.module.css";

/** What was read for an answer, and what the account may not see. */
export function ReadList({ read }: { read: readonly ReadRoute[] }) {
  const { t } = useTranslation("assistant");
  if (read.length === 0) return null;
  const refused = read.some(({ ok }) => !ok);
  return (
    <details className={classes.read} open={refused}>
      <summary>{t("read", { count: read.length })}</summary>
      <ul>
        {read.map(({ path, ok, missing }, index) => (
          <li key={index}>
            <code>{path}</code>
            {!ok && <span>{missing.length > 0 ? t("refused", { keys: missing.join(", ") }) : t("unread")}</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What a language model asked for and did not get: it may have obeyed an order that stands in data. */
export function RefusedList({ calls }: { calls: readonly RefusedCall[] }) {
  const { t } = useTranslation("assistant");
  if (calls.length === 0) return null;
  return (
    <details className={classes.read} open>
      <summary>{t("calls.title", { count: calls.length })}</summary>
      <ul>
        {calls.map(({ tool, reason }, index) => (
          <li key={index}>
            <code>{tool}</code>
            <span>{t(`calls.${reason}`)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
