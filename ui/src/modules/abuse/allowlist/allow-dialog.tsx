import { Textarea, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { useRequestKey } from "@/api/request-key";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { DateTimeField } from "@/components/form/date-time-field";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { Segmented } from "@/components/form/segmented";
import { toastDone } from "@/components/state/toast";
import { useAllow, type Entry, type NewEntry } from "./api";

/** Who is to be allowed, where that is known before. */
interface Preset {
  kind: Entry["kind"];
  value: string;
  label: string;
}

interface AllowDialogProps {
  preset?: Preset;
  onClose: () => void;
}

/** Says that a user or a network is no abuse: from then on nothing of it is shown or scored. */
export function AllowDialog({ preset, onClose }: AllowDialogProps) {
  const { t } = useTranslation("abuse");
  const title = preset ? t("allow.titleOf", { name: preset.label || preset.value }) : t("allow.title");
  return (
    <FormModal opened onClose={onClose} title={title}>
      <AllowForm preset={preset} onClose={onClose} />
    </FormModal>
  );
}

const ids = { value: "allow-value", note: "allow-note", until: "allow-until" };

function AllowForm({ preset, onClose }: AllowDialogProps) {
  const { t } = useTranslation("abuse");
  const allow = useAllow();
  const [kind, setKind] = useState<Entry["kind"]>(preset?.kind ?? "user");
  const [value, setValue] = useState(preset?.value ?? "");
  const [note, setNote] = useState("");
  const [until, setUntil] = useState<string>();
  const body: NewEntry = { kind, value: written(kind, value), note: note.trim(), ...(until && { until }) };
  const key = useRequestKey(body);
  const typed = note.trim() !== "" || value !== (preset?.value ?? "");
  const close = useTyped(typed && !allow.isSuccess);
  const wrong = fieldErrors(allow.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (body.value === "" || allow.isPending) return;
    const done = () => {
      toastDone(t("allow.done", { name: preset?.label || body.value }));
      onClose();
    };
    allow.mutate({ ...body, key }, { onSuccess: done });
  };
  return (
    <DialogForm onSubmit={submit}>
      <p className="soft">{t("allow.text")}</p>
      <FormProblems error={allow.error} fields={ids} />
      {!preset && (
        <>
          <Segmented
            label={t("allow.kind")}
            value={kind}
            onChange={setKind}
            options={[
              { value: "user", label: t("allow.user") },
              { value: "asn", label: t("allow.asn") },
            ]}
          />
          <TextInput
            id={ids.value}
            size="md"
            data-autofocus
            label={t(`allow.${kind}`)}
            description={t(`allow.${kind}Help`)}
            placeholder={kind === "asn" ? "64500" : "c:…"}
            maxLength={128}
            spellCheck={false}
            autoComplete="off"
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
            error={wrong.value}
          />
        </>
      )}
      <Textarea
        id={ids.note}
        size="md"
        label={t("allow.note")}
        description={t("allow.noteHelp")}
        maxLength={500}
        autosize
        minRows={2}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        error={wrong.note}
      />
      <DateTimeField
        id={ids.until}
        size="md"
        label={t("allow.until")}
        description={t("allow.untilHelp")}
        value={until}
        onChange={setUntil}
        error={wrong.until}
      />
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("cancel")}
        </Action>
        <Action
          size="dialog"
          kind="filled"
          type="submit"
          busy={allow.isPending}
          reason={body.value === "" ? t("allow.missing") : undefined}
        >
          {t("allow.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

const bareId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What was typed as the panel wants it: the id of a client alone is a user, and AS64500 is its number. */
export function written(kind: Entry["kind"], typed: string): string {
  const value = typed.trim();
  if (kind === "asn") return value.replace(/^as\s*/i, "");
  return bareId.test(value) ? `c:${value}` : value;
}
