import { Modal } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { DialogBody } from "@/components/dialog/dialog-form";
import { useOnce } from "@/components/secret/once";
import { SecretCode } from "@/components/secret/secret-code";
import { WireGuardFile } from "@/components/secret/wireguard-file";
import { issueLink, type Client } from "../api";

/** The connection link of a client on one of its flows, shown for a minute. */
export function LinkDialog({
  client,
  use,
  onClose,
}: {
  client: Pick<Client, "id" | "label">;
  use: Client["flows"][number];
  onClose: () => void;
}) {
  const { t } = useTranslation("clients");
  const { state, reveal } = useOnce(() => issueLink(use.flow_id, client.id));
  return (
    <Modal opened onClose={onClose} title={t("link.title", { name: client.label, flow: use.flow_name })} size={440}>
      <DialogBody>
        <p className="soft">{t("link.text")}</p>
        <SecretCode
          state={state}
          onReveal={reveal}
          text={(link) => link.uri}
          code={(link) => link.conf ?? link.uri}
          between={(link) => link.conf && <WireGuardFile conf={link.conf} />}
          codeName={t("link.qr")}
          what={t("link.what")}
          act={t("link.reveal")}
          gone={t("link.gone")}
        />
      </DialogBody>
    </Modal>
  );
}
