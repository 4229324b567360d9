import { FileInput, Textarea } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogBody, DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { ProblemNote } from "@/components/state/problem-view";
import { Glyph } from "@/components/status/glyph";
import { fieldText } from "@/text/problem-text";
import { asProblem } from "@/api/problem";
import { useImport, type Line } from "./api";
import classes from "./clients.module.css";
import { readLines } from "./lines";

/** How many of the skipped names are told. */
const mostNamed = 20;

/** How much of a name is told of a line that was refused. */
const mostLetters = 40;

/** Adds the clients of an exported file or of a list of names, all of them or none. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("clients");
  const load = useImport();
  return (
    <FormModal opened onClose={onClose} title={t("importing.title")}>
      {load.data ? <Outcome {...load.data} onClose={onClose} /> : <ImportForm load={load} />}
    </FormModal>
  );
}

function Outcome({ added, skipped, onClose }: { added: number; skipped: string[]; onClose: () => void }) {
  const { t } = useTranslation("clients");
  const names = skipped.slice(0, mostNamed).join(", ");
  return (
    <DialogBody>
      <p role="status">{t("importing.added", { count: added })}</p>
      {skipped.length > 0 && <p className="soft">{t("importing.skipped", { count: skipped.length, names })}</p>}
      <DialogFoot>
        <Action size="dialog" kind="filled" onClick={onClose} data-autofocus>
          {t("importing.done")}
        </Action>
      </DialogFoot>
    </DialogBody>
  );
}

function ImportForm({ load }: { load: ReturnType<typeof useImport> }) {
  const { t } = useTranslation("clients");
  const [text, setText] = useState("");
  const [tried, setTried] = useState(false);
  const close = useTyped(text.trim() !== "");
  const lines = readLines(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (lines && !load.isPending) load.mutate(lines);
  };
  const missing = text.trim() === "" ? t("importing.missing") : t("importing.unreadable");
  return (
    <DialogForm onSubmit={submit}>
      <Faults error={load.error} lines={load.variables ?? []} />
      <FileInput
        size="md"
        label={t("importing.file")}
        placeholder={t("importing.choose")}
        accept=".json,.txt"
        onChange={(file) => void file?.text().then(setText)}
      />
      <Textarea
        size="md"
        label={t("importing.list")}
        description={t("importing.help")}
        classNames={{ input: classes.lines }}
        autosize
        minRows={5}
        maxRows={12}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={tried && !lines && missing}
      />
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={load.isPending}>
          {lines ? t("importing.verb", { count: lines.length }) : t("import")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

/** Says which of the clients was refused, by its place in the list and its name; nothing was added then. */
function Faults({ error, lines }: { error: unknown; lines: readonly Line[] }) {
  const { t } = useTranslation("clients");
  if (!error) return null;
  const problem = asProblem(error);
  const faults = problem.fields.map((fault) => ({ ...placeOf(fault.field), fault }));
  if (faults.length === 0 || faults.some(({ at }) => at === undefined)) return <ProblemNote error={problem} />;
  const said = ({ at = 0, part, flow, fault }: (typeof faults)[number]): string => {
    if (part === "label") return t("importing.badLabel");
    const named = lines[at]?.flows?.[flow ?? -1];
    return named === undefined ? fieldText(fault) : t("importing.noFlow", { name: shortened(named) });
  };
  return (
    <div className={classes.faults} role="alert">
      <Glyph kind="down" />
      <div>
        <p className="strong">{t("importing.refused")}</p>
        <ul>
          {faults.map((fault) => (
            <li key={fault.fault.field}>
              {t("importing.line", {
                place: (fault.at ?? 0) + 1,
                name: shortened(lines[fault.at ?? 0]?.label),
                fault: said(fault),
              })}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** Which client of the list a refused field is of, which part of it, and which of its flows. */
function placeOf(field: string): { at?: number; part?: string; flow?: number } {
  const found = /^clients\[(\d+)\](?:\.(\w+)(?:\[(\d+)\])?)?/.exec(field);
  if (!found) return {};
  const [, at, part, item] = found;
  return { at: Number(at), part, ...(part === "flows" && item && { flow: Number(item) }) };
}

const shortened = (name = "") => (name.length > mostLetters ? `${name.slice(0, mostLetters)}…` : name);
