import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/dialog/confirm";
import { toastDone } from "@/components/state/toast";
import { useRemoveCertificate, type Certificate } from "./api";

/** Asks for the name before a certificate and its key are gone. One that a flow shows is refused, in words. */
export function RemoveDialog({
  certificate: { id, names, source },
  onClose,
  onRemoved,
}: {
  certificate: Certificate;
  onClose: () => void;
  onRemoved: () => void;
}) {
  const { t } = useTranslation("cdn-dns");
  const remove = useRemoveCertificate();
  const name = names[0] ?? "";
  const done = () => {
    toastDone(t("certificates.removed", { name }));
    onClose();
    onRemoved();
  };
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t("certificates.removeTitle", { name })}
      consequences={[
        t(source === "upload" ? "certificates.removeUploaded" : "certificates.removeOrdered"),
        t("certificates.removeShown"),
      ]}
      verb={t("certificates.remove")}
      typed={name}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(id, { onSuccess: done })}
    />
  );
}
