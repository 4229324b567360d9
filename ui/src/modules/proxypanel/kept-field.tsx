import { useId, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import type { Part } from "./draft";
import classes from "./proxypanel.module.css";

interface KeptProps<Value> {
  label: string;
  part: Part<Value>;
  onChange: (part: Part<Value>) => void;
  /** One is stored, so that the new value can be left out again. */
  stored: boolean;
  /** What the field begins with when the stored value is to be replaced. */
  blank: Value;
  /** It can only be replaced. */
  needed?: boolean;
  /** The field for a new value. */
  children: ReactNode;
}

/** Something that is written and never read: that it is set, with ways to replace and to remove it. */
export function KeptField<Value>(props: KeptProps<Value>) {
  const { label, part, onChange, stored, blank, needed, children } = props;
  const { t } = useTranslation("proxypanel");
  const name = useId();
  const keep = () => onChange({ way: "kept", value: blank });
  if (part.way === "given")
    return (
      <div className={classes.field}>
        {children}
        {stored && (
          <div>
            <Action kind="link" onClick={keep}>
              {t("kept.keep")}
            </Action>
          </div>
        )}
      </div>
    );
  const removed = part.way === "removed";
  return (
    <div className={classes.kept} role="group" aria-labelledby={name}>
      <span>
        <span id={name} className={classes.fieldName}>
          {label}
        </span>
        <span className="dim">{t(removed ? "kept.removed" : "kept.set")}</span>
      </span>
      <span className={classes.acts}>
        {removed ? (
          <Action size="bar" onClick={keep}>
            {t("kept.keep")}
          </Action>
        ) : (
          <>
            <Action size="bar" onClick={() => onChange({ way: "given", value: blank })}>
              {t("kept.replace")}
            </Action>
            {!needed && (
              <Action size="bar" onClick={() => onChange({ way: "removed", value: blank })}>
                {t("kept.remove")}
              </Action>
            )}
          </>
        )}
      </span>
    </div>
  );
}
