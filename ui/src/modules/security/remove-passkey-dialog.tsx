import { Modal } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { toastDone } from "@/components/state/toast";
import { useRemovePasskey, type Passkey } from "./api";
import { ProtectedRemoval } from "./protected-removal";

export function RemovePasskeyDialog({ passkey, onClose }: { passkey: Passkey | undefined; onClose: () => void }) {
  const { t } = useTranslation("security");
  return (
    <Modal
      opened={passkey !== undefined}
      onClose={onClose}
      title={t("removePasskey.title", { name: passkey?.name ?? "" })}
    >
      {passkey && <RemoveForm id={passkey.id} onClose={onClose} />}
    </Modal>
  );
}

function RemoveForm({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation("security");
  const remove = useRemovePasskey();
  const done = () => {
    toastDone(t("passkeys.removed"));
    onClose();
  };
  return (
    <ProtectedRemoval
      consequences={[t("removePasskey.signIn"), t("removePasskey.device")]}
      verb={t("removePasskey.verb")}
      act={remove}
      onPassword={(password) => remove.mutate({ id, password }, { onSuccess: done })}
      onClose={onClose}
    />
  );
}
