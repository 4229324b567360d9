import { Menu } from "@mantine/core";
import { IconLink, IconQrcode } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { toastDone, toastProblem } from "@/components/state/toast";
import { useEditor } from "../editor/editor-context";
import { useClosePublicLink, type Client } from "../shared/api";
import classes from "./clients.module.css";

interface ClientActsProps {
  client: Client;
  onLink: () => void;
  onShare: () => void;
  onRevoke: () => void;
}

/** The link of a client, and what else can be done with it. */
export function ClientActs({ client, onLink, onShare, onRevoke }: ClientActsProps) {
  const { t } = useTranslation("flows");
  const { flow, closed } = useEditor();
  const closeLink = useClosePublicLink(flow.id);
  const noLink =
    flow.installed_revision === null ? t("clients.noVersion") : client.installed ? undefined : t("clients.afterApply");
  const close = () =>
    closeLink.mutate(client.id, {
      onSuccess: () => toastDone(t("clients.publicLinkClosed")),
      onError: (error) => toastProblem(t("clients.publicLinkFailed"), error),
    });
  return (
    <span className={classes.acts}>
      <Action size="bar" iconOnly kind="ghost" icon={IconQrcode} onClick={onLink} reason={closed ?? noLink}>
        {t("clients.linkOf", { name: client.label })}
      </Action>
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
    </span>
  );
}
