import { useTranslation } from "react-i18next";
import type { Finding } from "./api";
import classes from "./imports.module.css";

/** What could not be read or is another in the flow: where it stands there, and why. */
export function Findings({ found }: { found: readonly Finding[] }) {
  const { t } = useTranslation("imports");
  return (
    <ul className={classes.findings}>
      {found.map((one, at) => (
        // The list never changes, and one place may have two reasons.
        <li key={at}>
          <span className={classes.place}>
            <span className="mono">{one.path || t("findings.whole")}</span>
            {one.what && <span className="dim">{one.what}</span>}
          </span>
          <span>{t(`reason.${one.code}`, { defaultValue: one.reason })}</span>
        </li>
      ))}
    </ul>
  );
}
