import { Modal, TextInput } from "@mantine/core";
import { useState, type FormEvent, type ReactNode } from "react";
import { Trans, useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import classes from "./confirm.module.css";
import { ProblemNote } from "@/components/state/problem-view";

export interface ConfirmProps {
  opened: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: string;
  /** What happens, in words of the object. */
  children?: ReactNode;
  /** What follows from the act, as a list. */
  consequences?: ReactNode[];
  /** The verb on the button, never "OK". */
  verb: string;
  /** Level 3: the act opens only after this word was typed. */
  typed?: string;
  /** What is to be chosen first; the act is closed until then. */
  waits?: string;
  danger?: boolean;
  busy?: boolean;
  error?: unknown;
  /** A quiet fact beside the buttons, such as "Plan r17, revision 17". */
  note?: ReactNode;
}

/** A dialog before an act with consequences: level 2 names them, level 3 (`typed`) also asks for the name. */
export function Confirm(props: ConfirmProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      {props.opened && <ConfirmBody {...props} />}
    </Modal>
  );
}

function ConfirmBody({
  onClose,
  onConfirm,
  children,
  consequences = [],
  verb,
  typed,
  waits,
  danger = true,
  busy,
  error,
  note,
}: ConfirmProps) {
  const { t } = useTranslation("app");
  const [word, setWord] = useState("");
  const matches = typed === undefined || word === typed;
  const reason = matches ? waits : t("confirm.waits", { word: typed });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason === undefined && !busy) onConfirm();
  };
  return (
    <form className={classes.body} onSubmit={submit}>
      {children !== undefined && <div className="soft">{children}</div>}
      {consequences.length > 0 && (
        <ul className={classes.list}>
          {consequences.map((item, index) => (
            <li key={index}>{item}</li>
          ))}
        </ul>
      )}
      {typed !== undefined && (
        <TextInput
          size="md"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          label={
            <Trans
              t={t}
              i18nKey="confirm.type"
              values={{ word: typed }}
              components={{ word: <span className={classes.word} /> }}
            />
          }
          value={word}
          onChange={(event) => setWord(event.currentTarget.value)}
        />
      )}
      {error !== undefined && error !== null && <ProblemNote error={error} />}
      <div className={classes.foot}>
        <span className="dim">{note}</span>
        <Action size="dialog" onClick={onClose} data-autofocus={typed === undefined || undefined}>
          {t("confirm.cancel")}
        </Action>
        <Action size="dialog" type="submit" busy={busy} kind={danger ? "danger-filled" : "filled"} reason={reason}>
          {verb}
        </Action>
      </div>
    </form>
  );
}
