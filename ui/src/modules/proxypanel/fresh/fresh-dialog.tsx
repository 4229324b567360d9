import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogFoot } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FreshPanel } from "./fresh-panel";

/** Sets up a fresh proxy panel. While its credentials are shown, only the act below closes the dialog. */
export function FreshDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("proxypanel");
  const [shown, setShown] = useState(false);
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t("fresh.title")}
      size="lg"
      closeOnClickOutside={!shown}
      closeOnEscape={!shown}
      withCloseButton={!shown}
    >
      <Body shown={shown} onShown={setShown} onClose={onClose} />
    </FormModal>
  );
}

function Body({ shown, onShown, onClose }: { shown: boolean; onShown: (shown: boolean) => void; onClose: () => void }) {
  const { t } = useTranslation("proxypanel");
  const [typed, setTyped] = useState(false);
  const close = useTyped(typed);
  return (
    <FreshPanel
      onDone={onClose}
      onTyped={setTyped}
      onShown={onShown}
      doneWord={t("done")}
      foot={(act) => (
        <DialogFoot>
          {!shown && (
            <Action size="dialog" onClick={close}>
              {t("cancel")}
            </Action>
          )}
          {act}
        </DialogFoot>
      )}
    />
  );
}
