import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/dialog/confirm";

const word = "REMOVE";

export function RemoveDialog({
  opened,
  onClose,
  onConfirm,
  busy,
  error,
}: {
  opened: boolean;
  onClose: () => void;
  onConfirm: () => void;
  busy: boolean;
  error: unknown;
}) {
  const { t } = useTranslation("license");
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      onConfirm={onConfirm}
      busy={busy}
      error={error}
      typed={word}
      title={t("remove.title")}
      verb={t("remove.verb")}
      consequences={[t("remove.readOnly"), t("remove.traffic"), t("remove.still"), t("remove.journal")]}
    >
      {t("remove.text")}
    </Confirm>
  );
}
