import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/confirm";
import { toastDone } from "@/components/toast";
import { useDeleteAccount, type Account } from "./directory-api";

export function DeleteAccountDialog({ account, onClose, onDeleted }: { account: Account | undefined; onClose: () => void; onDeleted: () => void }) {
  const { t } = useTranslation("accounts");
  const remove = useDeleteAccount();
  const close = () => {
    remove.reset();
    onClose();
  };
  const confirm = () =>
    account &&
    remove.mutate(account.id, {
      onSuccess: () => {
        toastDone(t("delete.done", { name: account.username }));
        onDeleted();
      },
    });
  return (
    <Confirm
      opened={account !== undefined}
      onClose={close}
      onConfirm={confirm}
      busy={remove.isPending}
      error={remove.error}
      typed={account?.username}
      title={t("delete.title", { name: account?.username ?? "" })}
      verb={t("delete.verb")}
      consequences={[t("delete.sessions"), t("delete.journal"), t("delete.forever")]}
    />
  );
}
