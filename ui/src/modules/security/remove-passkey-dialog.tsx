import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/confirm";
import type { Passkey } from "./api";

export function RemovePasskeyDialog({ passkey, busy, onClose, onConfirm }: { passkey: Passkey | undefined; busy: boolean; onClose: () => void; onConfirm: (id: string) => void }) {
  const { t } = useTranslation("security");
  return (
    <Confirm opened={passkey !== undefined} onClose={onClose} onConfirm={() => passkey && onConfirm(passkey.id)} busy={busy} title={t("removePasskey.title", { name: passkey?.name ?? "" })} verb={t("removePasskey.verb")} consequences={[t("removePasskey.signIn"), t("removePasskey.device")]} />
  );
}
