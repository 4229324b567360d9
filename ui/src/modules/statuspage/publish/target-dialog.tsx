import { Checkbox, Select, Textarea, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { SecretField } from "@/components/form/secret-field";
import { toastDone } from "@/components/state/toast";
import { useAddTarget, useChangeTarget, type Target } from "../api";
import classes from "../statuspage.module.css";
import { NodePicker } from "./node-picker";
import {
  configOf,
  draftOf,
  fieldsOf,
  hasSecret,
  kinds,
  type Kind,
  type TargetDraft,
  type TargetField,
} from "./target-draft";

interface TargetDialogProps {
  pageId: string;
  /** Left out for a new one. */
  target: Target | undefined;
  onClose: () => void;
}

/** Adds a place where the page is served, or changes how it is reached. Nothing is published by that. */
export function TargetDialog(props: TargetDialogProps) {
  const { t } = useTranslation("statuspage");
  return (
    <FormModal opened onClose={props.onClose} title={t(props.target ? "targets.changeTitle" : "targets.add")} size="lg">
      <TargetForm {...props} />
    </FormModal>
  );
}

function TargetForm({ pageId, target, onClose }: TargetDialogProps) {
  const { t } = useTranslation("statuspage");
  const add = useAddTarget();
  const change = useChangeTarget();
  const running = target ? change : add;
  const [first] = useState(() => draftOf(target));
  const [draft, setDraft] = useState(first);
  const set = (some: Partial<TargetDraft>) => setDraft((now) => ({ ...now, ...some }));
  const cancel = useTyped(draft !== first);
  const wrong = fieldErrors(running.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (running.isPending) return;
    const onSuccess = () => {
      toastDone(t(target ? "targets.changed" : "targets.added", { name: draft.label }));
      onClose();
    };
    const secret = draft.secret === "" ? {} : { secret: draft.secret };
    const config = configOf(draft) as never;
    if (target) change.mutate({ id: target.id, label: draft.label.trim(), config, ...secret }, { onSuccess });
    else add.mutate({ pageId, kind: draft.kind, label: draft.label.trim(), config, ...secret }, { onSuccess });
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems
        error={running.error}
        fields={{
          label: "target-label",
          secret: "target-secret",
          ...Object.fromEntries(fieldsOf[draft.kind].map(({ name }) => [`config.${name}`, `target-${name}`])),
        }}
      />
      <Select
        size="md"
        label={t("targets.kind")}
        description={t(`kindHelp.${draft.kind}`)}
        data-autofocus
        disabled={target !== undefined}
        allowDeselect={false}
        data={kinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
        value={draft.kind}
        onChange={(kind) =>
          kind && setDraft({ ...draftOf(undefined), kind: kind as Kind, label: draft.label, config: {} })
        }
      />
      <TextInput
        size="md"
        id="target-label"
        required
        label={t("targets.label")}
        description={t("targets.labelHelp")}
        maxLength={64}
        autoComplete="off"
        value={draft.label}
        error={wrong.label}
        onChange={(event) => set({ label: event.currentTarget.value })}
      />
      {draft.kind === "node" && (
        <NodePicker value={draft.nodeId} error={wrong["config.node_id"]} onChange={(nodeId) => set({ nodeId })} />
      )}
      {fieldsOf[draft.kind].map((field) => (
        <ConfigField
          key={field.name}
          field={field}
          value={draft.config[field.name] ?? ""}
          error={wrong[`config.${field.name}`]}
          onChange={(value) => set({ config: { ...draft.config, [field.name]: value } })}
        />
      ))}
      {hasSecret(draft.kind) && (
        <SecretField
          id="target-secret"
          label={t(`secret.${draft.kind as "sftp" | "static_s3"}`)}
          stored={target?.has_secret ?? false}
          value={draft.secret}
          error={wrong.secret}
          onChange={(secret) => set({ secret })}
        />
      )}
      <DialogFoot>
        <Action size="dialog" onClick={cancel}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={running.isPending}>
          {t(target ? "targets.save" : "targets.addVerb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

interface ConfigFieldProps {
  field: TargetField;
  value: string | boolean;
  error: string | undefined;
  onChange: (value: string | boolean) => void;
}

function ConfigField({ field: { name, type, required, mono }, value, error, onChange }: ConfigFieldProps) {
  const { t, i18n } = useTranslation("statuspage");
  const help = `config.${name}Help`;
  const words = {
    label: t(`config.${name}` as "config.folder"),
    description: i18n.exists(`statuspage:${help}`) ? t(help as "config.folderHelp") : undefined,
  };
  if (type === "check")
    return <Checkbox {...words} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />;
  const text = {
    ...words,
    id: `target-${name}`,
    size: "md" as const,
    required,
    error,
    className: mono ? classes.monoInput : undefined,
    autoComplete: "off",
    spellCheck: false,
    value: String(value),
  };
  if (type === "area")
    return <Textarea {...text} autosize minRows={2} onChange={(event) => onChange(event.currentTarget.value)} />;
  return (
    <TextInput
      {...text}
      type={type === "url" ? "url" : "text"}
      inputMode={type === "number" ? "numeric" : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
