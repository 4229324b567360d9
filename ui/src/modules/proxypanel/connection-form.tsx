import { useEffect, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { useAddConnection, useChangeConnection, type Connection } from "./api";
import { ConnectionFields } from "./connection-fields";
import { changeOf, newOf } from "./draft";
import { fieldIds, useDraft } from "./use-draft";

interface FormProps {
  stored?: Connection | undefined;
  /** The panel has stored it and says what it found; undefined where nothing was changed. */
  onSaved: (saved: Connection | undefined) => void;
  onTyped?: (typed: boolean) => void;
  /** Why nothing may be saved. */
  reason?: string | undefined;
  /** Places the button that saves among the others. */
  foot: (save: ReactNode) => ReactNode;
}

/** Adds a connection, or changes one. The panel asks the other one before it answers. */
export function ConnectionForm({ stored, onSaved, onTyped, reason, foot }: FormProps) {
  const { t } = useTranslation("proxypanel");
  const add = useAddConnection();
  const change = useChangeConnection();
  const { error } = stored ? change : add;
  const busy = add.isPending || change.isPending;
  const { draft, set, errorOf, submit, typed } = useDraft({
    stored,
    error,
    send: (ready) => {
      if (busy || reason !== undefined) return;
      if (!stored) return add.mutate(newOf(ready), { onSuccess: onSaved });
      const changes = changeOf(ready, stored);
      if (!changes) return onSaved(undefined);
      change.mutate(changes, { onSuccess: onSaved });
    },
  });
  const saved = add.isSuccess || change.isSuccess;
  useEffect(() => onTyped?.(typed && !saved), [onTyped, typed, saved]);
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems error={error} fields={fieldIds} />
      <ConnectionFields draft={draft} set={set} errorOf={errorOf} {...(stored && { stored })} />
      <p className="dim" role="status">
        {busy ? t("form.asking") : t("form.asked")}
      </p>
      {foot(
        <Action size="dialog" kind="filled" type="submit" busy={busy} reason={reason}>
          {t(stored ? "save" : "connect")}
        </Action>,
      )}
    </DialogForm>
  );
}
