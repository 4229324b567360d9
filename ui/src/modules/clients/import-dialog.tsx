import { FileInput, Modal, Textarea } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogBody, DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { useImport } from "./api";
import classes from "./clients.module.css";
import { readLines } from "./lines";

/** Adds the clients of an exported file or of a list of names, all of them or none. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("clients");
  const load = useImport();
  const [text, setText] = useState("");
  const [tried, setTried] = useState(false);
  const lines = readLines(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (lines && !load.isPending) load.mutate(lines);
  };
  return (
    <Modal opened onClose={onClose} title={t("importing.title")}>
      {load.data ? (
        <DialogBody>
          <p>{t("importing.added", { count: load.data.added })}</p>
          {load.data.skipped.length > 0 && (
            <p className="soft">
              {t("importing.skipped", {
                count: load.data.skipped.length,
                names: load.data.skipped.slice(0, 20).join(", "),
              })}
            </p>
          )}
          <DialogFoot>
            <Action size="dialog" kind="filled" onClick={onClose} data-autofocus>
              {t("importing.done")}
            </Action>
          </DialogFoot>
        </DialogBody>
      ) : (
        <DialogForm onSubmit={submit}>
          <FormProblems error={load.error} fields={{}} />
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
            error={tried && !lines && t("importing.unreadable")}
          />
          <DialogFoot>
            <Action size="dialog" onClick={onClose}>
              {t("cancel")}
            </Action>
            <Action size="dialog" kind="filled" type="submit" busy={load.isPending}>
              {lines ? t("importing.verb", { count: lines.length }) : t("import")}
            </Action>
          </DialogFoot>
        </DialogForm>
      )}
    </Modal>
  );
}
