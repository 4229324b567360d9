import { Modal, Textarea, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors, isProblem } from "@/api/problem";
import { useRequestKey } from "@/api/request-key";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { useAddItem, useChangeItem, type Item } from "./api";

/** Adds an item or changes one; draws nothing without either. */
export function ItemDialog({ item, onClose }: { item: Item | "new" | undefined; onClose: () => void }) {
  const { t } = useTranslation("health");
  const title = item === "new" ? t("form.addTitle") : t("form.editTitle", { name: item?.name ?? "" });
  return (
    <Modal opened={item !== undefined} onClose={onClose} title={title}>
      {item !== undefined && <ItemForm item={item === "new" ? undefined : item} onClose={onClose} />}
    </Modal>
  );
}

function ItemForm({ item, onClose }: { item: Item | undefined; onClose: () => void }) {
  const { t } = useTranslation("health");
  const add = useAddItem();
  const change = useChangeItem();
  const { error, isPending } = item ? change : add;
  const [name, setName] = useState(item?.name ?? "");
  const [comment, setComment] = useState(item?.comment ?? "");
  const [tried, setTried] = useState(false);
  const typed = { name: name.trim(), comment };
  const key = useRequestKey(typed);
  const wrong = fieldErrors(error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!typed.name || isPending) return;
    const onSuccess = () => {
      toastDone(t(item ? "form.changed" : "form.added", { name: typed.name }));
      onClose();
    };
    if (item) change.mutate({ ...item, ...typed }, { onSuccess });
    else add.mutate({ ...typed, key }, { onSuccess });
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems error={error} fields={{ name: "item-name", comment: "item-comment" }} />
      <TextInput
        size="md"
        id="item-name"
        data-autofocus
        autoComplete="off"
        maxLength={64}
        label={t("columns.name")}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={
          (tried && !typed.name && t("form.nameMissing")) ||
          (isProblem(error, "name_taken") && t("form.nameTaken")) ||
          wrong.name
        }
      />
      <Textarea
        size="md"
        id="item-comment"
        maxLength={500}
        label={t("columns.comment")}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
        error={wrong.comment}
      />
      <DialogFoot>
        <Action size="dialog" onClick={onClose}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={isPending}>
          {t(item ? "form.save" : "form.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
