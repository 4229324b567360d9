import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { isProblem } from "@/api/problem";
import { Confirm } from "@/components/dialog/confirm";
import { toastDone } from "@/components/state/toast";
import { useDeleteAccount, type Account } from "./api";
import { HeirField } from "./heir-field";
import { ownedBy } from "./owned";

interface DeleteAccountDialogProps {
  account: Account | undefined;
  onClose: () => void;
  onDeleted: () => void;
}

/** Deletes an account. One that owns things is asked for an heir, which takes full access. */
export function DeleteAccountDialog({ account, onClose, onDeleted }: DeleteAccountDialogProps) {
  const { t } = useTranslation("accounts");
  const full = useAccess().permissions.includes("*");
  const remove = useDeleteAccount();
  const [heir, setHeir] = useState<string>();
  const [owned, setOwned] = useState<ReturnType<typeof ownedBy>>();
  const asksHeir = owned !== undefined && full;
  const refusedAsOwner = isProblem(remove.error) && remove.error.code === "account_in_use";
  const close = () => {
    remove.reset();
    setHeir(undefined);
    setOwned(undefined);
    onClose();
  };
  const confirm = () =>
    account &&
    remove.mutate(
      { id: account.id, heir },
      {
        onError: (error) => setOwned((before) => ownedBy(error) ?? before),
        onSuccess: () => {
          toastDone(t("delete.done", { name: account.username }));
          onDeleted();
        },
      },
    );
  return (
    <Confirm
      opened={account !== undefined}
      onClose={close}
      onConfirm={confirm}
      busy={remove.isPending}
      error={asksHeir && refusedAsOwner ? undefined : remove.error}
      typed={account?.username}
      waits={asksHeir && heir === undefined ? t("delete.heirFirst") : undefined}
      title={t("delete.title", { name: account?.username ?? "" })}
      verb={asksHeir ? t("delete.handOverVerb") : t("delete.verb")}
      consequences={[t("delete.sessions"), t("delete.journal"), t("delete.forever")]}
    >
      {asksHeir && account && <HeirField account={account} owned={owned} value={heir} onChange={setHeir} />}
    </Confirm>
  );
}
