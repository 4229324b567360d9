import { useTranslation } from "react-i18next";
import { Segmented } from "@/components/form/segmented";
import { toastDone } from "@/components/state/toast";
import { useAddChannel, useChangeChannel, type Channel } from "./api";
import { changeOf, draftOf, fieldIds, newOf, problemsOf, type ChannelKind } from "./channel-draft";
import { MailFields, WebhookFields } from "./channel-fields";
import { EnabledSwitch, ItemDialog, NameField } from "./item-dialog";
import { useItemForm } from "./item-form";

/** Adds a channel, or changes one: its kind stays then. */
export function ChannelDialog({ channel, onClose }: { channel: Channel | undefined; onClose: () => void }) {
  const { t } = useTranslation("notifications");
  const add = useAddChannel();
  const change = useChangeChannel();
  const done = ({ name }: Channel) => {
    toastDone(t(channel ? "channels.changed" : "channels.added", { name }));
    onClose();
  };
  const form = useItemForm({
    begin: () => draftOf(channel),
    problemsOf: (draft) => problemsOf(draft, channel !== undefined),
    words: (wrong) => t(`channels.wrong.${wrong}`),
    ids: fieldIds,
    prefix: "channel",
    error: channel ? change.error : add.error,
    save: (draft) =>
      channel
        ? change.mutate(changeOf(draft, channel), { onSuccess: done })
        : add.mutate(newOf(draft), { onSuccess: done }),
  });
  const fields = { draft: form.draft, set: form.set, errorOf: form.errorOf, stored: channel };
  return (
    <ItemDialog
      title={channel ? t("channels.changeTitle", { name: channel.name }) : t("channels.addTitle")}
      verb={t(channel ? "save" : "channels.add")}
      busy={add.isPending || change.isPending}
      onClose={onClose}
      form={form}
    >
      {!channel && (
        <Segmented<ChannelKind>
          label={t("channels.kind")}
          value={form.draft.kind}
          onChange={(kind) => form.set({ kind })}
          options={[
            { value: "webhook", label: t("kind.webhook") },
            { value: "email", label: t("kind.email") },
          ]}
        />
      )}
      <NameField form={form} label={t("channels.name")} />
      {form.draft.kind === "webhook" ? <WebhookFields {...fields} /> : <MailFields {...fields} />}
      <EnabledSwitch form={form} label={t("channels.enabled")} help={t("channels.enabledHelp")} />
    </ItemDialog>
  );
}
