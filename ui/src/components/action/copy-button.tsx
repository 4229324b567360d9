import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Action, type ActionKind } from "./action";

/** Puts a value on the clipboard and says so, on the screen and to screen readers. */
export function CopyButton({
  value,
  what,
  kind = "ghost",
  iconOnly = true,
  text,
}: {
  value: string;
  what: string;
  kind?: ActionKind;
  iconOnly?: boolean;
  text?: string;
}) {
  const { t } = useTranslation("app");
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <>
      <Action
        kind={kind}
        size="bar"
        iconOnly={iconOnly}
        icon={copied ? IconCheck : IconCopy}
        onClick={() => void copyText(value).then(setCopied)}
        aria-label={iconOnly || text ? undefined : t("copy.what", { what })}
      >
        {iconOnly ? t("copy.what", { what }) : copied ? t("copy.done") : (text ?? t("copy.copy"))}
      </Action>
      <span role="status" className="visually-hidden">
        {copied ? t("copy.done") : ""}
      </span>
    </>
  );
}

/** Copies also on a panel reached without TLS, where the clipboard API is closed. */
export async function copyText(value: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(value);
      return true;
    } catch {
      return copyBySelection(value);
    }
  }
  return copyBySelection(value);
}

function copyBySelection(value: string): boolean {
  const area = document.createElement("textarea");
  area.value = value;
  area.setAttribute("readonly", "");
  area.className = "visually-hidden";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
