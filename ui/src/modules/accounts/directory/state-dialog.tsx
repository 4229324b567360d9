import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/dialog/confirm";
import { toastDone } from "@/components/state/toast";
import { useChangeAccount, type Account } from "./api";

/** Disables an account, which ends its sessions, or lets it in again. */
export function StateDialog({ account, onClose }: { account: Account | undefined; onClose: () => void }) {
  const { t } = useTranslation("accounts");
  const change = useChangeAccount();
  const off = account?.state === "active";
  const close = () => {
    change.reset();
    onClose();
  };
  const confirm = () =>
    account &&
    change.mutate(
      { id: account.id, revision: account.revision, state: off ? "disabled" : "active" },
      {
        onSuccess: () => {
          toastDone(t(off ? "disable.done" : "enable.done", { name: account.username }));
          close();
        },
      },
    );
  const words = off ? ("disable" as const) : ("enable" as const);
  return (
    <Confirm
      opened={account !== undefined}
      onClose={close}
      onConfirm={confirm}
      busy={change.isPending}
      error={change.error}
      danger={off}
      title={t(`${words}.title`, { name: account?.username ?? "" })}
      verb={t(`${words}.verb`)}
      consequences={off ? [t("disable.sessions"), t("disable.keeps")] : [t("enable.same")]}
    />
  );
}
