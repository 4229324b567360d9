import { useTranslation } from "react-i18next";
import classes from "./sheet.module.css";

/** Questions that fit the page, asked by a click. */
export function Suggestions({ items, onAsk }: { items: readonly string[]; onAsk: (text: string) => void }) {
  const { t } = useTranslation("assistant");
  if (items.length === 0) return null;
  return (
    <ul className={classes.suggestions} aria-label={t("suggestions")}>
      {items.map((item) => (
        <li key={item}>
          <button type="button" className={classes.suggestion} onClick={() => onAsk(item)}>
            {item}
          </button>
        </li>
      ))}
    </ul>
  );
}
