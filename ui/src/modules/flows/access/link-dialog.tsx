import { Modal } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useOnce } from "@/components/secret/once";
import { SecretCode } from "@/components/secret/secret-code";
import { WireGuardFile } from "@/components/secret/wireguard-file";
import { issueLink, issuePublicLink, type Client, type Flow } from "../shared/api";
import dialog from "../shared/dialogs.module.css";
import { useEditor } from "../editor/editor-context";

interface LinkDialogProps {
  /** Without its version the dialog names the revision that the link matches. */
  flow: Pick<Flow, "id"> & Partial<Pick<Flow, "installed_version_number" | "installed_revision">>;
  client: Pick<Client, "id" | "label">;
  onClose: () => void;
}

export function LinkDialog({ flow, client, onClose }: LinkDialogProps) {
  const { t } = useTranslation("flows");
  const { state, reveal } = useOnce(() => issueLink(flow.id, client.id));
  return (
    <Modal opened onClose={onClose} title={t("link.title", { name: client.label })} size={440}>
      <div className={dialog.body}>
        <p className="soft">
          {flow.installed_version_number == null
            ? t("link.textAny")
            : t("link.text", { number: flow.installed_version_number })}
        </p>
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
          note={(link) =>
            link.revision === flow.installed_revision
              ? t("link.matches", { number: flow.installed_version_number, revision: link.revision })
              : t("link.matchesRevision", { revision: link.revision })
          }
        />
      </div>
    </Modal>
  );
}

export function PublicLinkDialog({ client, onClose }: { client: Client; onClose: () => void }) {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const { state, reveal } = useOnce(() => issuePublicLink(flow.id, client.id));
  return (
    <Modal opened onClose={onClose} title={t("publicLink.title", { name: client.label })} size={440}>
      <div className={dialog.body}>
        <p className="soft">{t("publicLink.text")}</p>
        {client.has_public_link && state.kind === "hidden" && <p className="soft">{t("publicLink.replaces")}</p>}
        <SecretCode
          state={state}
          onReveal={reveal}
          text={(link) => link.url}
          codeName={t("publicLink.qr")}
          what={t("publicLink.what")}
          act={t("publicLink.reveal")}
          gone={t("publicLink.gone")}
        />
      </div>
    </Modal>
  );
}
