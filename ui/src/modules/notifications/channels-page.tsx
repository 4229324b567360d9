import { useQuery } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { viewState } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import { channelsQuery, useRemoveChannel, type Channel } from "./api";
import { ChannelDialog } from "./channel-dialog";
import { ChannelsView } from "./channels-view";
import { NotificationsHeader, useBlock } from "./header";
import { isConfigured, useNotificationSettings } from "./settings/settings-document";
import { TestDialog } from "./test-dialog";

export default function ChannelsPage() {
  const { t } = useTranslation("notifications");
  const channels = useQuery(channelsQuery);
  const settings = useNotificationSettings().query.data?.settings;
  const block = useBlock();
  const [editing, setEditing] = useState<Channel | "new">();
  const [removing, setRemoving] = useState<Channel>();
  const [testing, setTesting] = useState<Channel>();
  const add = () => setEditing("new");
  return (
    <>
      <NotificationsHeader
        current="channels"
        actions={
          <Action kind="filled" icon={IconPlus} onClick={add} reason={block}>
            {t("channels.add")}
          </Action>
        }
      />
      <ChannelsView
        state={viewState(channels)}
        messenger={settings && { configured: isConfigured(settings), chat: settings.messenger.chat_id }}
        block={block}
        onEdit={setEditing}
        onRemove={setRemoving}
        onTest={setTesting}
      />
      {editing && (
        <ChannelDialog channel={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
      {removing && <Remove channel={removing} onClose={() => setRemoving(undefined)} />}
      {testing && <TestDialog channel={testing} onClose={() => setTesting(undefined)} />}
    </>
  );
}

function Remove({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("notifications");
  const remove = useRemoveChannel();
  const done = () => {
    toastDone(t("channels.removed", { name: channel.name }));
    onClose();
  };
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t("channels.removeTitle", { name: channel.name })}
      consequences={[t("channels.removeWaiting"), t("channels.removeRules"), t("channels.removeHistory")]}
      verb={t("channels.remove")}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(channel.id, { onSuccess: done })}
    />
  );
}
