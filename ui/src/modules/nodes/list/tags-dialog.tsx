import { MultiSelect, TagsInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import type { Node } from "../shared/types";

interface TagsChange {
  add_tags: string[];
  remove_tags: string[];
}

interface TagsDialogProps {
  nodes: Node[];
  opened: boolean;
  onClose: () => void;
  onChange: (change: TagsChange) => void;
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
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const present = [...new Set(nodes.flatMap((node) => node.tags))].sort();
  const nothing = add.length + remove.length === 0;
  const close = useTyped(!nothing);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (nothing) return;
    onChange({ add_tags: add, remove_tags: remove });
    onClose();
  };
  return (
    <DialogForm onSubmit={submit}>
      <TagsInput
        size="md"
        data-autofocus
        label={t("tagging.add")}
        description={t("new.tagsHelp")}
        maxTags={20}
        maxLength={32}
        value={add}
        onChange={setAdd}
      />
      {present.length > 0 && (
        <MultiSelect
          size="md"
          label={t("tagging.remove")}
          placeholder={remove.length === 0 ? t("tagging.choose") : undefined}
          maxValues={20}
          data={present}
          value={remove}
          onChange={setRemove}
        />
      )}
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
