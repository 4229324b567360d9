import { Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActDialog } from "@/components/dialog/act-dialog";
import { DialogBody } from "@/components/dialog/dialog-form";
import { useOnce } from "@/components/secret/once";
import { SecretCode } from "@/components/secret/secret-code";
import { issueAddress, useCloseAddress, type Client } from "./api";

/** Makes a client's subscription URL; one that is in use ends, which is asked first. */
export function AddressDialog({ client, onClose }: { client: Client; onClose: () => void }) {
  const { t } = useTranslation("clients");
  const queries = useQueryClient();
  const { state, reveal } = useOnce(() =>
    issueAddress(client.id).finally(() => void queries.invalidateQueries({ queryKey: ["clients"] })),
  );
  // Once it is made the client has one, and the dialog still shows it.
  const [rotates] = useState(client.has_public_link);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(rotates ? "address.newTitle" : "address.title", { name: client.label })}
      size={440}
    >
      <DialogBody>
        <p className="soft">{t("address.text")}</p>
        {rotates && state.kind !== "shown" && <p>{t("address.replaces")}</p>}
        <SecretCode
          state={state}
          onReveal={reveal}
          text={(made) => made.url}
          codeName={t("address.qr")}
          what={t("address.what")}
          act={t(rotates ? "address.makeNew" : "address.make")}
          gone={t("address.gone")}
        />
      </DialogBody>
    </Modal>
  );
}

/** Takes the address away: programs that hold it find nothing any more. */
export function CloseAddressDialog({ client, onClose }: { client: Client; onClose: () => void }) {
  const { t } = useTranslation("clients");
  const close = useCloseAddress();
  return (
    <ActDialog
      onClose={onClose}
      title={t("address.closeTitle", { name: client.label })}
      verb={t("address.close")}
      danger
      effects={[{ key: "address", glyph: "skipped", text: t("address.closeEffect") }]}
      undo={t("address.closeUndo")}
      words={{ done: () => t("address.closed"), retry: (count) => t("act.retry", { count }) }}
      run={async () => {
        await close.mutateAsync(client.id);
        return [{ id: client.id, name: client.label, ok: true, text: t("act.done") }];
      }}
    >
      {t("address.closeWhat")}
    </ActDialog>
  );
}
