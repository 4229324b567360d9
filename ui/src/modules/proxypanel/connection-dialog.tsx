import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogFoot } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { toastDone } from "@/components/state/toast";
import type { Connection } from "./api";
import { ConnectionForm } from "./connection-form";
import { useSentences } from "./use-sentences";

interface DialogProps {
  connection: Connection | undefined;
  onClose: () => void;
}

/** Adds a connection, or changes one. */
export function ConnectionDialog({ connection, onClose }: DialogProps) {
  const { t } = useTranslation("proxypanel");
  const title = connection ? t("changeTitle", { label: connection.label }) : t("connectTitle");
  return (
    <FormModal opened onClose={onClose} title={title} size="lg">
      <Body connection={connection} onClose={onClose} />
    </FormModal>
  );
}

function Body({ connection, onClose }: DialogProps) {
  const { t } = useTranslation("proxypanel");
  const sentences = useSentences();
  const [typed, setTyped] = useState(false);
  const close = useTyped(typed);
  const saved = (found: Connection | undefined) => {
    onClose();
    if (!found) return;
    const { label, cause } = found;
    // Saving worked; what is wrong stays on the card.
    if (cause === "") toastDone(t(connection ? "changed" : "connected", { label }));
    else toastDone(t("savedTroubled", { label }), sentences(found).wrong);
  };
  return (
    <ConnectionForm
      stored={connection}
      onSaved={saved}
      onTyped={setTyped}
      foot={(save) => (
        <DialogFoot>
          <Action size="dialog" onClick={close}>
            {t("cancel")}
          </Action>
          {save}
        </DialogFoot>
      )}
    />
  );
}
