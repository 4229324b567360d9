import { Modal } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useRenewCodes } from "./api";
import { PasswordForm } from "./password-form";
import { RecoveryCodes } from "./recovery-codes";

/** Password, then the new codes; closing waits until they are kept. */
export function RenewCodesDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("security");
  const [codes, setCodes] = useState<string[]>();
  const close = () => {
    setCodes(undefined);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      closeOnClickOutside={false}
      closeOnEscape={codes === undefined}
      withCloseButton={codes === undefined}
      title={t(codes ? "codes.title" : "renew.title")}
    >
      {opened &&
        (codes ? <RecoveryCodes codes={codes} onDone={close} /> : <RenewForm onCodes={setCodes} onClose={close} />)}
    </Modal>
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
