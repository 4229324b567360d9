import { useTranslation } from "react-i18next";
import { useRenewCodes } from "./api";
import { CodesDialog } from "./codes-dialog";
import { PasswordForm } from "./password-form";

/** Password, then the new codes. */
export function RenewCodesDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("security");
  return (
    <CodesDialog
      opened={opened}
      onClose={onClose}
      title={t("renew.title")}
      steps={(onCodes, close) => <RenewForm onCodes={onCodes} onClose={close} />}
    />
  );
}

function RenewForm({ onCodes, onClose }: { onCodes: (codes: string[]) => void; onClose: () => void }) {
  const { t } = useTranslation("security");
  return (
    <PasswordForm
      text={t("renew.text")}
      verb={t("renew.verb")}
      act={useRenewCodes()}
      onDone={onCodes}
      onClose={onClose}
    />
  );
}
