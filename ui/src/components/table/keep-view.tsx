import { Popover, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import classes from "./keep-view.module.css";

/** Keeps what the list shows now under a name, or removes the view that it shows. */
export function KeepView({
  current,
  onKeep,
  onRemove,
}: {
  /** The name of the kept view that is shown. */
  current: string | undefined;
  onKeep: (name: string) => void;
  onRemove: (name: string) => void;
}) {
  const { t } = useTranslation("app");
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState("");
  if (current !== undefined) {
    return (
      <Action kind="ghost" icon={IconTrash} onClick={() => onRemove(current)}>
        {t("table.removeView")}
      </Action>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!name.trim()) return;
    onKeep(name.trim());
    setName("");
    setOpened(false);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" withinPortal trapFocus returnFocus>
      <Popover.Target>
        <Action kind="ghost" icon={IconPlus} onClick={() => setOpened(!opened)}>
          {t("table.keepView")}
        </Action>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("table.keepView")}>
        <form className={classes.form} onSubmit={submit} noValidate>
          <TextInput
            data-autofocus
            label={t("table.viewName")}
            description={t("table.keptHere")}
            maxLength={32}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Action kind="filled" type="submit" reason={name.trim() ? undefined : t("table.viewNeedsName")}>
            {t("table.keepView")}
          </Action>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
