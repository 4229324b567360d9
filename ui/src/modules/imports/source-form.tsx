import { FileInput, PasswordInput, Textarea, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { FormProblems } from "@/components/form/form-problems";
import { Segmented } from "@/components/form/segmented";
import { mostBytes, type Outside } from "./api";
import classes from "./imports.module.css";

const kinds = ["file", "text", "address"] as const;
type Kind = (typeof kinds)[number];
const ids = { address: "import-address", token: "import-token" };

/** Where the flows come from: a file, a text, or the address of a 3x-ui panel. */
export function SourceForm(props: {
  busy: boolean;
  error: unknown;
  closed: string | undefined;
  onRead: (from: Blob | Outside) => void;
}) {
  const { t } = useTranslation("imports");
  const [kind, setKind] = useState<Kind>("file");
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState({ address: "", token: "", username: "", password: "", code: "" });
  const [tried, setTried] = useState(false);
  const tooLarge = file !== null && file.size > mostBytes;
  const set = (next: Partial<typeof at>) => setAt((before) => ({ ...before, ...next }));
  const refused = fieldErrors(props.error);
  const signedIn = at.token !== "" || (at.username !== "" && at.password !== "");
  const missing = {
    file: file === null ? t("source.fileMissing") : tooLarge ? t("source.tooLarge") : undefined,
    text: text.trim() === "" ? t("source.textMissing") : undefined,
    address: at.address.trim() === "" ? t("source.addressMissing") : undefined,
  }[kind];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (missing || props.busy || (kind === "address" && !signedIn)) return;
    if (kind === "file") props.onRead(file!);
    else if (kind === "text") props.onRead(new Blob([text]));
    else props.onRead(filled({ ...at, address: at.address.trim() }));
  };
  const error = tried ? missing : undefined;
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <FormProblems error={props.error} fields={ids} />
      <Segmented
        label={t("source.kind")}
        value={kind}
        onChange={setKind}
        options={kinds.map((value) => ({ value, label: t(`source.${value}`) }))}
      />
      {kind === "file" && (
        <FileInput
          size="md"
          label={t("source.file")}
          description={t("source.fileHelp")}
          placeholder={t("source.choose")}
          value={file}
          onChange={setFile}
          error={tooLarge ? t("source.tooLarge") : error}
          clearable
          clearButtonProps={{ "aria-label": t("source.clear") }}
        />
      )}
      {kind === "text" && (
        <Textarea
          size="md"
          label={t("source.text")}
          description={t("source.textHelp")}
          classNames={{ input: classes.text }}
          spellCheck={false}
          autosize
          minRows={8}
          maxRows={16}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={error}
        />
      )}
      {kind === "address" && (
        <>
          <TextInput
            id={ids.address}
            size="md"
            label={t("source.address")}
            description={t("source.addressHelp")}
            placeholder="https://203.0.113.7:2053/base/"
            spellCheck={false}
            autoComplete="off"
            value={at.address}
            onChange={(event) => set({ address: event.currentTarget.value })}
            error={refused.address ?? error}
          />
          <Secret
            id={ids.token}
            name="token"
            value={at.token}
            onChange={(token) => set({ token })}
            help={t("source.tokenHelp")}
            error={refused.token ?? (tried && !signedIn ? t("source.tokenMissing") : undefined)}
          />
          <p className="soft">{t("source.or")}</p>
          <div className={classes.two}>
            <TextInput
              size="md"
              label={t("source.username")}
              autoComplete="off"
              value={at.username}
              onChange={(event) => set({ username: event.currentTarget.value })}
            />
            <Secret name="password" value={at.password} onChange={(password) => set({ password })} />
            <TextInput
              size="md"
              label={t("source.code")}
              autoComplete="off"
              inputMode="numeric"
              value={at.code}
              onChange={(event) => set({ code: event.currentTarget.value })}
            />
          </div>
        </>
      )}
      <div className={classes.foot}>
        <span className="dim">{t("source.nothing")}</span>
        <Action size="dialog" kind="filled" type="submit" busy={props.busy} reason={props.closed}>
          {t("source.read")}
        </Action>
      </div>
    </form>
  );
}

/** A secret that is sent once and kept nowhere. */
function Secret(props: {
  id?: string;
  name: "token" | "password";
  value: string;
  help?: string;
  error?: string | undefined;
  onChange: (value: string) => void;
}) {
  const { t } = useTranslation("imports");
  const label = t(`source.${props.name}`);
  return (
    <PasswordInput
      id={props.id}
      size="md"
      label={label}
      description={props.help}
      autoComplete="new-password"
      spellCheck={false}
      value={props.value}
      error={props.error}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ "aria-label": t("source.show", { name: label }) }}
    />
  );
}

/** Without what was left empty. */
const filled = (at: Required<Outside>): Outside => ({
  address: at.address,
  ...Object.fromEntries(Object.entries(at).filter(([, value]) => value !== "")),
});
