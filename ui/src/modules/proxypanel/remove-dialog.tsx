import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/dialog/confirm";
import { toastDone } from "@/components/state/toast";
import { useRemoveConnection, type Connection } from "./api";

/** Asks before a connection is forgotten, and says what that means here and there. */
export function RemoveDialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const { t } = useTranslation("proxypanel");
  const remove = useRemoveConnection();
  const { id, label } = connection;
  const done = () => {
    toastDone(t("remove.done", { label }));
    onClose();
  };
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t("remove.title", { label })}
      consequences={[t("remove.reads"), t("remove.there"), t("remove.secrets"), t("remove.token")]}
      verb={t("remove.verb")}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(id, { onSuccess: done })}
    />
  );
}
