import { Textarea } from "@mantine/core";
import { useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { useLeaveGuard } from "@/components/form/use-leave-guard";
import { Card } from "@/components/layout/card";
import { ProblemNote } from "@/components/state/problem-view";
import { Avatar } from "@/components/text/avatar";
import { useFormat } from "@/text/use-format";
import { ActEntry } from "../acts/act-entry";
import type { Act } from "../acts/api";
import { useBlock } from "../header";
import { useNote, type Case, type Note } from "./api";
import classes from "./cases.module.css";

/** What people said and did about the case, the oldest first, and a field for the next word. */
export function NotesCard({ one }: { one: Case }) {
  const { t } = useTranslation("abuse");
  const entries = told(one);
  return (
    <Card title={t("notes.title")} label={t("notes.title")} flush>
      <ul>
        {entries.map((entry) =>
          entry.act ? <ActEntry key={entry.at} act={entry.act} /> : <NoteEntry key={entry.at} note={entry.note} />,
        )}
      </ul>
      <NoteForm id={one.id} />
    </Card>
  );
}

type Told = { at: string; act: Act; note?: undefined } | { at: string; note: Note; act?: undefined };

/** Notes and acts in one order. */
export function told({ notes, actions }: Pick<Case, "notes" | "actions">): Told[] {
  const all: Told[] = [
    ...notes.map((note) => ({ at: note.at, note })),
    ...actions.map((act) => ({ at: act.started_at, act })),
  ];
  return all.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
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
