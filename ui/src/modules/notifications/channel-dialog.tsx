import { Modal, Switch, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { Segmented } from "@/components/form/segmented";
import { toastDone } from "@/components/state/toast";
import { fieldText } from "@/text/problem-text";
import { useAddChannel, useChangeChannel, type Channel } from "./api";
import { changeOf, draftOf, fieldIds, newOf, problemsOf, type ChannelDraft, type ChannelKind } from "./channel-draft";
import { MailFields, WebhookFields } from "./channel-fields";

/** Adds a channel, or changes one: its kind stays then. */
export function ChannelDialog({ channel, onClose }: { channel: Channel | undefined; onClose: () => void }) {
  const { t } = useTranslation("notifications");
  const [draft, setDraft] = useState(() => draftOf(channel));
  const [tried, setTried] = useState(false);
  const add = useAddChannel();
  const change = useChangeChannel();
  const error = channel ? change.error : add.error;
  const wrong = tried ? problemsOf(draft, channel !== undefined) : {};
  const refused = refusedFields(error, fieldIds(draft));
  const set = (next: Partial<ChannelDraft>) => setDraft((before) => ({ ...before, ...next }));
  const errorOf = (field: keyof ChannelDraft) => {
    const own = wrong[field];
    return own ? t(`channels.wrong.${own}`) : refused[`channel-${field}`];
  };
  const done = ({ name }: Channel) => {
    toastDone(t(channel ? "channels.changed" : "channels.added", { name }));
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const [first] = Object.keys(problemsOf(draft, channel !== undefined));
    if (first) return document.getElementById(`channel-${first}`)?.focus();
    if (channel) change.mutate(changeOf(draft, channel), { onSuccess: done });
    else add.mutate(newOf(draft), { onSuccess: done });
  };
  const fields = { draft, set, errorOf, stored: channel };
  return (
    <Modal
      opened
      onClose={onClose}
      title={channel ? t("channels.changeTitle", { name: channel.name }) : t("channels.addTitle")}
      size="lg"
    >
      <DialogForm onSubmit={submit}>
        <FormProblems error={error} fields={fieldIds(draft)} />
        {!channel && (
          <Segmented<ChannelKind>
            label={t("channels.kind")}
            value={draft.kind}
            onChange={(kind) => set({ kind })}
            options={[
              { value: "webhook", label: t("kind.webhook") },
              { value: "email", label: t("kind.email") },
            ]}
          />
        )}
        <TextInput
          id="channel-name"
          label={t("channels.name")}
          value={draft.name}
          maxLength={64}
          autoComplete="off"
          data-autofocus
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={errorOf("name")}
        />
        {draft.kind === "webhook" ? <WebhookFields {...fields} /> : <MailFields {...fields} />}
        <Switch
          label={t("channels.enabled")}
          description={t("channels.enabledHelp")}
          checked={draft.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
        <DialogFoot>
          <Action size="dialog" onClick={onClose}>
            {t("cancel")}
          </Action>
          <Action size="dialog" kind="filled" type="submit" busy={add.isPending || change.isPending}>
            {t(channel ? "save" : "channels.add")}
          </Action>
        </DialogFoot>
      </DialogForm>
    </Modal>
  );
}

/** What the panel said of fields, by the ids of the fields. */
export function refusedFields(error: unknown, ids: Record<string, string>): Record<string, string> {
  if (!isProblem(error)) return {};
  return Object.fromEntries(
    error.fields.flatMap((item) => {
      const id = ids[item.field];
      return id === undefined ? [] : [[id, fieldText(item)]];
    }),
  );
}
