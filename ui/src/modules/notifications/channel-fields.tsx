import { NumberInput, Select, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { SecretField } from "@/components/form/secret-field";
import type { Channel } from "./api";
import type { ChannelDraft } from "./channel-draft";
import classes from "./notifications.module.css";

interface FieldsProps {
  draft: ChannelDraft;
  set: (next: Partial<ChannelDraft>) => void;
  errorOf: (field: keyof ChannelDraft) => string | undefined;
  stored: Channel | undefined;
}

/** A receiver of signed messages. Its address often holds a token, so it is as secret as the key. */
export function WebhookFields({ draft, set, errorOf, stored }: FieldsProps) {
  const { t } = useTranslation("notifications");
  const { t: app } = useTranslation("app");
  const host = stored?.webhook?.host;
  return (
    <>
      <TextInput
        id="channel-url"
        label={t("webhook.url")}
        description={host ? t("webhook.urlStored", { host }) : t("webhook.urlHelp")}
        placeholder={host ? app("secret.stored") : "https://"}
        value={draft.url}
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
        inputMode="url"
        onChange={(event) => set({ url: event.currentTarget.value })}
        error={errorOf("url")}
      />
      <SecretField
        id="channel-secret"
        label={t("webhook.secret")}
        description={t("webhook.secretHelp")}
        stored={stored?.webhook?.has_secret ?? false}
        value={draft.secret}
        onChange={(secret) => set({ secret })}
        error={errorOf("secret")}
      />
    </>
  );
}

/** A mail server and whom it writes to. */
export function MailFields(props: FieldsProps) {
  const { draft, set, errorOf } = props;
  const { t } = useTranslation("notifications");
  return (
    <>
      <TagsInput
        id="channel-to"
        label={t("email.to")}
        description={t("email.toHelp")}
        value={draft.to}
        onChange={(to) => set({ to })}
        maxTags={20}
        acceptValueOnBlur
        splitChars={[",", ";", " "]}
        error={errorOf("to")}
      />
      <TextInput
        id="channel-from"
        label={t("email.from")}
        value={draft.from}
        inputMode="email"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => set({ from: event.currentTarget.value })}
        error={errorOf("from")}
      />
      <ServerFields {...props} />
    </>
  );
}

function ServerFields({ draft, set, errorOf, stored }: FieldsProps) {
  const { t } = useTranslation("notifications");
  return (
    <>
      <div className={classes.serverPair}>
        <TextInput
          id="channel-host"
          label={t("email.host")}
          value={draft.host}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => set({ host: event.currentTarget.value })}
          error={errorOf("host")}
        />
        <NumberInput
          id="channel-port"
          label={t("email.port")}
          value={draft.port}
          min={1}
          max={65_535}
          allowDecimal={false}
          hideControls
          onChange={(port) => set({ port })}
          error={errorOf("port")}
        />
      </div>
      <Select
        id="channel-security"
        label={t("email.security")}
        data={[
          { value: "starttls", label: t("email.starttls") },
          { value: "tls", label: t("email.tls") },
        ]}
        value={draft.security}
        onChange={(security) => set({ security: security ?? "starttls", port: portFor(security, draft.port) })}
        allowDeselect={false}
        error={errorOf("security")}
      />
      <div className={classes.pair}>
        <TextInput
          id="channel-username"
          label={t("email.username")}
          description={t("email.usernameHelp")}
          value={draft.username}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => set({ username: event.currentTarget.value })}
          error={errorOf("username")}
        />
        <SecretField
          id="channel-password"
          label={t("email.password")}
          description={t("email.passwordHelp")}
          stored={stored?.email?.has_password ?? false}
          value={draft.password}
          onChange={(password) => set({ password })}
          drop={{
            label: t("email.dropPassword"),
            value: draft.dropPassword,
            onChange: (dropPassword) => set({ dropPassword }),
          }}
          error={errorOf("password")}
        />
      </div>
      <Textarea
        id="channel-ca"
        label={t("email.ca")}
        description={t("email.caHelp")}
        value={draft.ca}
        autosize
        minRows={1}
        maxRows={6}
        spellCheck={false}
        onChange={(event) => set({ ca: event.currentTarget.value })}
        error={errorOf("ca")}
      />
    </>
  );
}

/** The usual port moves with the way of encryption; one that was chosen stays. */
function portFor(security: string | null, port: number | string): number | string {
  if (security === "tls" && Number(port) === 587) return 465;
  return security === "starttls" && Number(port) === 465 ? 587 : port;
}
