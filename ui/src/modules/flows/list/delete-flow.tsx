import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/dialog/confirm";
import { useDeleteFlow, type Flow } from "../shared/api";
import { usePlaces } from "../editor/editor-context";
import { dropKeptDraft } from "../editor/draft/stored-draft";
import { dropKeptPlan } from "../plan/stored-plan";
import { closeDraft } from "../editor/draft/use-draft";

/** Deleting takes the flow off its servers first; the name is typed, the consequences are listed. */
export function DeleteFlow({ flow, onClose }: { flow: Flow; onClose: () => void }) {
  const { t } = useTranslation("flows");
  const navigate = useNavigate();
  const remove = useDeleteFlow();
  const { servers } = usePlaces();
  const names = flow.node_ids.map((id) => servers.get(id)?.name ?? id);
  const live = flow.clients.filter((client) => client.revoked_at === null).length;
  const confirm = () =>
    remove.mutate(flow.id, {
      onSuccess: () => {
        closeDraft(flow.id);
        dropKeptDraft(flow.id);
        dropKeptPlan(flow.id);
        onClose();
        void navigate({ to: "/flows" });
      },
    });
  return (
    <Confirm
      opened
      onClose={onClose}
      onConfirm={confirm}
      title={t("delete.title", { name: flow.name })}
      consequences={[
        names.length > 0
          ? t("delete.servers", { count: names.length, names: names.join(", ") })
          : t("delete.noServers"),
        t("delete.clients", { count: live }),
        t("delete.final"),
      ]}
      typed={flow.name}
      verb={t("delete.act")}
      busy={remove.isPending}
      error={remove.error}
    />
  );
}
