import { Modal, Switch, TextInput } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";

interface ItemDialogProps {
  title: string;
  /** The word on the button that saves. */
  verb: string;
  busy: boolean;
  onClose: () => void;
  form: { submit: (event: FormEvent) => void; error: unknown; ids: Record<string, string> };
  children: ReactNode;
}

/** The frame of the dialogs of channels and rules. */
export function ItemDialog({ title, verb, busy, onClose, form, children }: ItemDialogProps) {
  const { t } = useTranslation("notifications");
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <DialogForm onSubmit={form.submit}>
        <FormProblems error={form.error} fields={form.ids} />
        {children}
        <DialogFoot>
          <Action size="dialog" onClick={onClose}>
            {t("cancel")}
          </Action>
          <Action size="dialog" kind="filled" type="submit" busy={busy}>
            {verb}
          </Action>
        </DialogFoot>
      </DialogForm>
    </Modal>
  );
}

interface Named {
  draft: { name: string; enabled: boolean };
  set: (next: { name?: string; enabled?: boolean }) => void;
}

export function NameField({
  form,
  label,
}: {
  form: Named & { prefix: string; errorOf: (field: "name") => string | undefined };
  label: string;
}) {
  return (
    <TextInput
      id={`${form.prefix}-name`}
      label={label}
      value={form.draft.name}
      maxLength={64}
      autoComplete="off"
      data-autofocus
      onChange={(event) => form.set({ name: event.currentTarget.value })}
      error={form.errorOf("name")}
    />
  );
}

export function EnabledSwitch({ form, label, help }: { form: Named; label: string; help?: string }) {
  return (
    <Switch
      label={label}
      description={help}
      checked={form.draft.enabled}
      onChange={(event) => form.set({ enabled: event.currentTarget.checked })}
    />
  );
}
