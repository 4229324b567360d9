import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import type { Group } from "../api";
import { LocalisedField } from "../shared/localised";

interface GroupDialogProps {
  group: Group;
  locales: readonly string[];
  onClose: () => void;
  onDone: (group: Group) => void;
}

/** Names a group of components; it is stored with the page. */
export function GroupDialog(props: GroupDialogProps) {
  const { t } = useTranslation("statuspage");
  return (
    <FormModal opened onClose={props.onClose} title={t("components.groupTitle")}>
      <GroupForm {...props} />
    </FormModal>
  );
}

function GroupForm({ group, locales, onClose, onDone }: GroupDialogProps) {
  const { t } = useTranslation("statuspage");
  const [names, setNames] = useState(group.names);
  const cancel = useTyped(names !== group.names);
  const unnamed = !names[locales[0]!]?.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (unnamed) return;
    onDone({ ...group, names });
    onClose();
  };
  return (
    <DialogForm onSubmit={submit}>
      <LocalisedField
        id="group-name"
        label={t("components.groupName")}
        required
        locales={locales}
        maxLength={200}
        value={names}
        onChange={setNames}
      />
      <DialogFoot>
        <Action size="dialog" onClick={cancel}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" reason={unnamed ? t("nameFirst") : undefined}>
          {t("take")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
