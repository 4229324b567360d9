import { Checkbox, MultiSelect, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { opens, useAccess } from "@/api/access";
import { permissionKeys } from "@/api/keys.gen";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { CopyButton } from "@/components/action/copy-button";
import { DialogBody, DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { useCreateToken } from "../api";
import { OwnPassword } from "../own-password";
import classes from "../security.module.css";

const lives = ["7", "30", "90", "365"];

/** What a token may do and for how long, then the token itself. It is shown once: closing waits until it is stored. */
export function CreateTokenDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("security");
  const [token, setToken] = useState<string>();
  const close = () => {
    setToken(undefined);
    onClose();
  };
  return (
    <FormModal
      opened={opened}
      onClose={close}
      closeOnClickOutside={false}
      closeOnEscape={token === undefined}
      withCloseButton={token === undefined}
      title={t(token ? "tokens.shownTitle" : "tokens.createTitle")}
    >
      {opened && (token ? <ShownToken token={token} onDone={close} /> : <Form onToken={setToken} />)}
    </FormModal>
  );
}

function Form({ onToken }: { onToken: (token: string) => void }) {
  const { t } = useTranslation("security");
  const { permissions: held } = useAccess();
  const create = useCreateToken();
  const [name, setName] = useState("");
  const [permissions, setPermissions] = useState<string[]>([]);
  const [days, setDays] = useState("90");
  const [password, setPassword] = useState("");
  const [tried, setTried] = useState(false);
  const wrong = fieldErrors(create.error);
  const typed = name !== "" || permissions.length > 0 || password !== "";
  const close = useTyped(typed && !create.isPending && !create.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!name.trim() || !password || create.isPending) return;
    const body = { name: name.trim(), permissions, expires_in_days: Number(days), current_password: password };
    create.mutate(body, { onSuccess: onToken });
  };
  return (
    <DialogForm onSubmit={submit}>
      <p className="soft">{t("tokens.createText")}</p>
      <FormProblems error={create.error} fields={{ name: "token-name", current_password: "own-password" }} />
      <TextInput
        size="md"
        id="token-name"
        data-autofocus
        autoComplete="off"
        maxLength={64}
        label={t("tokens.name")}
        description={t("tokens.nameHelp")}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={(tried && !name.trim() && t("tokens.nameMissing")) || (wrong.name && t("tokens.nameTaken"))}
      />
      <MultiSelect
        size="md"
        searchable
        label={t("tokens.permissions")}
        description={t("tokens.permissionsHelp")}
        data={offered(held)}
        value={permissions}
        onChange={setPermissions}
      />
      <Select
        size="md"
        allowDeselect={false}
        label={t("tokens.life")}
        data={lives.map((value) => ({ value, label: t("tokens.days", { count: Number(value) }) }))}
        value={days}
        onChange={(value) => setDays(value ?? days)}
      />
      <OwnPassword
        value={password}
        onChange={setPassword}
        error={(tried && !password && t("ownPassword.missing")) || (wrong.current_password && t("ownPassword.wrong"))}
      />
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={create.isPending}>
          {t("tokens.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

/** What the account itself holds, and each single key that it opens. */
export function offered(held: readonly string[]): string[] {
  return [...new Set([...held, ...permissionKeys.filter((key) => opens(held, [key]))])];
}

function ShownToken({ token, onDone }: { token: string; onDone: () => void }) {
  const { t } = useTranslation("security");
  const [kept, setKept] = useState(false);
  return (
    <DialogBody>
      <p className="soft">{t("tokens.shownText")}</p>
      <div className={classes.sheet}>
        <p className={`mono ${classes.key}`} aria-label={t("tokens.token")}>
          {token}
        </p>
      </div>
      <div className={classes.keep}>
        <CopyButton value={token} what={t("tokens.token")} iconOnly={false} kind="default" text={t("tokens.copy")} />
      </div>
      <Checkbox
        size="xs"
        checked={kept}
        onChange={(event) => setKept(event.currentTarget.checked)}
        label={t("tokens.kept")}
      />
      <DialogFoot>
        <Action size="dialog" kind="filled" onClick={onDone} reason={kept ? undefined : t("tokens.keepFirst")}>
          {t("done")}
        </Action>
      </DialogFoot>
    </DialogBody>
  );
}
