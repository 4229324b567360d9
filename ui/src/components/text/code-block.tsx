import { useTranslation } from "react-i18next";
import classes from "./code-block.module.css";
import { CopyButton } from "@/components/action/copy-button";

/** A command or file to copy, readable in full. */
export function CodeBlock({ value, what }: { value: string; what: string }) {
  const { t } = useTranslation("app");
  return (
    <div className={classes.block}>
      {/* A scrolled region must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="region" aria-label={what || t("code")}>
        {value}
      </pre>
      <div className={classes.copy}>
        <CopyButton value={value} what={what} kind="default" iconOnly={false} />
      </div>
    </div>
  );
}
