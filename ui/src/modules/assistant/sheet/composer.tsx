import { Textarea } from "@mantine/core";
import { IconSend2 } from "@tabler/icons-react";
import type { FormEvent, KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import classes from "./sheet.module.css";

/** The longest question that the panel takes, in characters. */
const longest = 1000;

/** The field for a question: Enter sends it, Shift Enter begins a line. */
export function Composer({
  text,
  onText,
  onSend,
  busy,
  closed,
}: {
  text: string;
  onText: (text: string) => void;
  onSend: () => void;
  busy: boolean;
  closed: string | undefined;
}) {
  const { t } = useTranslation("assistant");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSend();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSend();
  };
  return (
    <form className={classes.composer} onSubmit={submit}>
      <Textarea
        className={classes.field}
        autoFocus
        aria-label={t("ask")}
        placeholder={t("askHint")}
        autosize
        minRows={1}
        maxRows={6}
        maxLength={longest}
        value={text}
        disabled={closed !== undefined}
        onChange={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <Action
        kind="filled"
        type="submit"
        icon={IconSend2}
        iconOnly
        busy={busy}
        reason={closed ?? (text.trim() === "" ? t("empty") : undefined)}
      >
        {t("send")}
      </Action>
    </form>
  );
}
