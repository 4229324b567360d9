import type { FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { TagChangeFields, useTagChange, type TagChange } from "@/components/form/tag-change";
import type { Node } from "../shared/types";

interface TagsDialogProps {
  nodes: Node[];
  opened: boolean;
  onClose: () => void;
  onChange: (change: TagChange) => void;
}

/** Puts tags on the selected nodes and takes tags off them; the others of their tags stay. */
export function TagsDialog({ nodes, opened, onClose, onChange }: TagsDialogProps) {
  const { t } = useTranslation("nodes");
  return (
    <FormModal opened={opened} onClose={onClose} title={t("tagging.title", { count: nodes.length })}>
      {opened && <TagsForm nodes={nodes} onClose={onClose} onChange={onChange} />}
    </FormModal>
  );
}

function TagsForm({ nodes, onClose, onChange }: Omit<TagsDialogProps, "opened">) {
  const { t } = useTranslation("nodes");
  const { change, setChange, nothing } = useTagChange();
  const close = useTyped(!nothing);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (nothing) return;
    onChange(change);
    onClose();
  };
  return (
    <DialogForm onSubmit={submit}>
      <TagChangeFields of={nodes} change={change} onChange={setChange} />
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("new.cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" reason={nothing ? t("tagging.nothing") : undefined}>
          {t("tagging.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
