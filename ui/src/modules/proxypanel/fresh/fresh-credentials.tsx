import { Checkbox } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { CopyButton } from "@/components/action/copy-button";
import { DialogBody } from "@/components/dialog/dialog-form";
import type { Fresh } from "../api";
import classes from "../proxypanel.module.css";
import { Trouble } from "../trouble";

interface CredentialsProps {
  fresh: Fresh;
  doneWord: string;
  onDone: () => void;
  foot: (act: ReactNode) => ReactNode;
}

/** The administrator of the proxy panel, shown once: going on waits until the credentials are stored. */
export function FreshCredentials({ fresh, doneWord, onDone, foot }: CredentialsProps) {
  const { t } = useTranslation("proxypanel");
  const [stored, setStored] = useState(false);
  const rows = [
    { key: "username", value: fresh.username },
    { key: "password", value: fresh.password },
  ] as const;
  return (
    <DialogBody>
      <p className="strong" role="status">
        {t("fresh.done", { label: fresh.connection.label })}
      </p>
      <p className="soft">{t("fresh.once")}</p>
      <dl className={classes.credentials}>
        {rows.map(({ key, value }) => (
          <div key={key}>
            <dt>{t(`fresh.${key}`)}</dt>
            <dd>
              <span className="mono">{value}</span>
              <CopyButton value={value} what={t(`fresh.${key}`)} kind="default" iconOnly={false} />
            </dd>
          </div>
        ))}
      </dl>
      <Trouble connection={fresh.connection} />
      <Checkbox
        checked={stored}
        onChange={(event) => setStored(event.currentTarget.checked)}
        label={t("fresh.stored")}
      />
      {foot(
        <Action size="dialog" kind="filled" reason={stored ? undefined : t("fresh.storeFirst")} onClick={onDone}>
          {doneWord}
        </Action>,
      )}
    </DialogBody>
  );
}
