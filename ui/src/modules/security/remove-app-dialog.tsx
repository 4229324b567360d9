import { Modal } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { toastDone } from "@/components/state/toast";
import { useRemoveTotp } from "./api";
import { ProtectedRemoval } from "./protected-removal";

export function RemoveAppDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("security");
  return (
    <Modal opened={opened} onClose={onClose} title={t("remove.title")}>
      {opened && <RemoveForm onClose={onClose} />}
    </Modal>
  );
}

function RemoveForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("security");
  const remove = useRemoveTotp();
  const done = () => {
    toastDone(t("remove.done"));
    onClose();
  };
  return (
    <ProtectedRemoval
      consequences={[t("remove.password"), t("remove.codes")]}
      verb={t("remove.verb")}
      act={remove}
      onPassword={(password) => remove.mutate(password, { onSuccess: done })}
      onClose={onClose}
    />
  );
}
