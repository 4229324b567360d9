import { Textarea } from "@mantine/core";
import { useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { useLeaveGuard } from "@/components/form/use-leave-guard";
import { Card } from "@/components/layout/card";
import { ProblemNote } from "@/components/state/problem-view";
import { Avatar } from "@/components/text/avatar";
import { useFormat } from "@/text/use-format";
import { useBlock } from "../header";
import { useNote, type Case, type Note } from "./api";
import classes from "./cases.module.css";

/** What people said about the case, the oldest first, and a field for the next word. */
export function NotesCard({ one }: { one: Case }) {
  const { t } = useTranslation("abuse");
  return (
    <Card title={t("notes.title")} label={t("notes.title")} flush>
      <ul>
        {one.notes.map((note) => (
          <NoteEntry key={note.id} note={note} />
        ))}
      </ul>
      <NoteForm id={one.id} />
    </Card>
  );
}

function NoteEntry({ note: { text, by, at } }: { note: Note }) {
  const format = useFormat();
  return (
    <li className={classes.entry}>
      <Avatar name={by} />
      <span className={classes.entryText}>
        <span>
          <span className="strong">{by}</span> {text}
        </span>
      </span>
      <time className={`${classes.entryTime} dim num`} dateTime={at} title={format.fullMoment(at)}>
        {format.moment(at)}
      </time>
    </li>
  );
}

function NoteForm({ id }: { id: string }) {
  const { t } = useTranslation("abuse");
  const block = useBlock();
  const note = useNote(id);
  const [text, setText] = useState("");
  useLeaveGuard(text.trim() !== "");
  const send = () => {
    if (text.trim() === "" || note.isPending || block !== undefined) return;
    note.mutate(text.trim(), { onSuccess: () => setText("") });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
  };
  return (
    <div className={classes.noteForm}>
      {note.error && <ProblemNote error={note.error} />}
      <Textarea
        aria-label={t("notes.add")}
        placeholder={t("notes.add")}
        maxLength={2000}
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        disabled={block !== undefined}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <div className={classes.noteFoot}>
        <span className="dim">{t("notes.keys")}</span>
        <Action
          size="bar"
          busy={note.isPending}
          reason={block ?? (text.trim() === "" ? t("notes.empty") : undefined)}
          onClick={send}
        >
          {t("notes.send")}
        </Action>
      </div>
    </div>
  );
}
