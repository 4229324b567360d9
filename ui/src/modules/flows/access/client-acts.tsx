import { Menu } from "@mantine/core";
import { IconLink } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { RowMenu } from "@/components/action/row-menu";
import { toastDone, toastProblem } from "@/components/state/toast";
import { useEditor } from "../editor/editor-context";
import { useClosePublicLink, type Client } from "../shared/api";

interface ClientActsProps {
  client: Client;
  onShare: () => void;
  onRevoke: () => void;
}

/** What can be done with a client besides its link. */
export function ClientActs({ client, onShare, onRevoke }: ClientActsProps) {
  const { t } = useTranslation("flows");
  const { flow, closed } = useEditor();
  const closeLink = useClosePublicLink(flow.id);
  const close = () =>
    closeLink.mutate(client.id, {
      onSuccess: () => toastDone(t("clients.publicLinkClosed")),
      onError: (error) => toastProblem(t("clients.publicLinkFailed"), error),
    });
  return (
    <RowMenu name={client.label}>
      <Menu.Item
        leftSection={<IconLink size={15} stroke={1.6} aria-hidden />}
        disabled={closed !== undefined}
        onClick={onShare}
      >
        {t(client.has_public_link ? "clients.newPublicLink" : "clients.publicLink")}
      </Menu.Item>
      {client.has_public_link && (
        <Menu.Item disabled={closed !== undefined} onClick={close}>
          {t("clients.closePublicLink")}
        </Menu.Item>
      )}
      <Menu.Divider />
      <Menu.Item data-danger disabled={closed !== undefined} onClick={onRevoke}>
        {t("clients.revoke")}…
      </Menu.Item>
    </RowMenu>
  );
}
