import { Modal } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { RecoveryCodes } from "./recovery-codes";

interface CodesProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** What leads to the codes. */
  steps: (onCodes: (codes: string[]) => void, onClose: () => void) => ReactNode;
}

/** Steps that end with recovery codes. The codes are shown this once, so closing waits until they are kept. */
export function CodesDialog({ opened, onClose, title, steps }: CodesProps) {
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
      title={codes ? t("codes.title") : title}
    >
      {opened && (codes ? <RecoveryCodes codes={codes} onDone={close} /> : steps(setCodes, close))}
    </Modal>
  );
}
