import { Checkbox, NumberInput, TextInput, Textarea } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { SecretField } from "@/components/form/secret-field";
import { FolderHint } from "../shared/folder-hint";
import classes from "../backups.module.css";
import { destinationFieldId, type DestinationDraft, type DestinationField } from "./destination-draft";
import { HostKeyField } from "./host-key-field";

export interface DestinationProps {
  draft: DestinationDraft;
  set: (next: Partial<DestinationDraft>) => void;
  errorOf: (field: DestinationField) => string | undefined;
  block: string | undefined;
}

type TextName =
  "folder" | "endpoint" | "bucket" | "prefix" | "region" | "accessKey" | "host" | "user" | "chat" | "apiRoot";

/** One line of text of a destination. */
function Line({
  name,
  label,
  help,
  placeholder,
  ...props
}: DestinationProps & { name: TextName; label: string; help?: string; placeholder?: string }) {
  const { draft, set, errorOf, block } = props;
  return (
    <TextInput
      id={destinationFieldId(draft.key, name)}
      label={label}
      description={help}
      placeholder={placeholder}
      value={draft[name]}
      maxLength={1000}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
      error={errorOf(name)}
      disabled={block !== undefined}
    />
  );
}

function Secret({ label, help, ...props }: DestinationProps & { label: string; help?: string }) {
  const { draft, set, errorOf, block } = props;
  return (
    <SecretField
      id={destinationFieldId(draft.key, "secret")}
      label={label}
      description={help}
      stored={draft.hasSecret}
      value={draft.secret}
      onChange={(secret) => set({ secret })}
      error={errorOf("secret")}
      disabled={block !== undefined}
    />
  );
}

/** A folder of the panel's own machine. */
export function LocalFields(props: DestinationProps) {
  const { t } = useTranslation("backups");
  const { draft, errorOf } = props;
  return (
    <>
      <Line {...props} name="folder" label={t("local.folder")} help={t("local.folderHelp")} placeholder="backups" />
      {errorOf("folder") && draft.folder.startsWith("/") && <FolderHint folder={draft.folder.trim()} />}
    </>
  );
}

/** A bucket of any service that speaks S3. */
export function S3Fields(props: DestinationProps) {
  const { t } = useTranslation("backups");
  const { draft, set, block } = props;
  return (
    <>
      <Line {...props} name="endpoint" label={t("s3.endpoint")} placeholder="https://s3.example.com" />
      <div className={classes.pair}>
        <Line {...props} name="bucket" label={t("s3.bucket")} />
        <Line {...props} name="prefix" label={t("s3.prefix")} placeholder="panel/" />
      </div>
      <div className={classes.pair}>
        <Line {...props} name="accessKey" label={t("s3.accessKey")} />
        <Secret {...props} label={t("s3.secret")} />
      </div>
      <div className={classes.pair}>
        <Line {...props} name="region" label={t("s3.region")} placeholder="us-east-1" />
        <Checkbox
          className={classes.beside}
          label={t("s3.pathStyle")}
          checked={draft.pathStyle}
          onChange={(event) => set({ pathStyle: event.currentTarget.checked })}
          disabled={block !== undefined}
        />
      </div>
    </>
  );
}

/** A folder of an SSH server. A private key has lines, so that its field is no line of dots. */
export function SftpFields(props: DestinationProps) {
  const { t } = useTranslation("backups");
  const { t: app } = useTranslation("app");
  const { draft, set, errorOf, block } = props;
  return (
    <>
      <div className={classes.serverPair}>
        <Line {...props} name="host" label={t("sftp.host")} placeholder="backup.example.com" />
        <NumberInput
          id={destinationFieldId(draft.key, "port")}
          label={t("sftp.port")}
          placeholder="22"
          value={draft.port}
          min={1}
          max={65_535}
          allowDecimal={false}
          hideControls
          onChange={(port) => set({ port })}
          error={errorOf("port")}
          disabled={block !== undefined}
        />
      </div>
      <div className={classes.pair}>
        <Line {...props} name="user" label={t("sftp.user")} />
        <Line {...props} name="folder" label={t("sftp.folder")} help={t("sftp.folderHelp")} />
      </div>
      <Textarea
        id={destinationFieldId(draft.key, "secret")}
        label={t("sftp.secret")}
        description={t("sftp.secretHelp")}
        placeholder={draft.hasSecret ? app("secret.stored") : undefined}
        value={draft.secret}
        autosize
        minRows={1}
        maxRows={6}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: draft.secret ? classes.veiled : undefined }}
        onChange={(event) => set({ secret: event.currentTarget.value })}
        error={errorOf("secret")}
        disabled={block !== undefined}
      />
      <HostKeyField draft={draft} set={set} error={errorOf("hostKey")} block={block} />
    </>
  );
}

/** A chat. A bot cannot fetch what it sent, so the way back is a person's. */
export function MessengerFields(props: DestinationProps) {
  const { t } = useTranslation("backups");
  const { draft, set, errorOf, block } = props;
  return (
    <>
      <p className="soft">{t("messenger.text")}</p>
      <Secret {...props} label={t("messenger.token")} help={t("messenger.tokenHelp")} />
      <div className={classes.pair}>
        <Line {...props} name="chat" label={t("messenger.chat")} />
        <NumberInput
          id={destinationFieldId(draft.key, "thread")}
          label={t("messenger.thread")}
          value={draft.thread}
          min={0}
          allowDecimal={false}
          hideControls
          onChange={(thread) => set({ thread })}
          error={errorOf("thread")}
          disabled={block !== undefined}
        />
      </div>
      <Line {...props} name="apiRoot" label={t("messenger.root")} help={t("messenger.rootHelp")} />
    </>
  );
}
