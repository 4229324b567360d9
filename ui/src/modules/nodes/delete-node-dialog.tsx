import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/confirm";
import { toastDone } from "@/components/toast";
import { useDeleteNode } from "./api";

export function DeleteNodeDialog({ node, flows = 0, onClose, onDeleted }: { node: { id: string; name: string } | undefined; flows?: number; onClose: () => void; onDeleted: () => void }) {
  const { t } = useTranslation("nodes");
  const remove = useDeleteNode();
  const close = () => {
    remove.reset();
    onClose();
  };
  const confirm = () =>
    node &&
    remove.mutate(node.id, {
      onSuccess: () => {
        toastDone(t("delete.done", { name: node.name }));
        onDeleted();
      },
    });
  return (
    <Confirm
      opened={node !== undefined}
      onClose={close}
      onConfirm={confirm}
      busy={remove.isPending}
      error={remove.error}
      typed={node?.name}
      title={t("delete.title", { name: node?.name })}
      verb={t("delete.verb")}
      consequences={[t("delete.agent"), t("delete.history"), flows > 0 ? t("delete.flows", { count: flows }) : t("delete.inUse")]}
    >
      {t("delete.text")}
    </Confirm>
  );
}
