import { useQuery } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { viewState } from "@/components/state/states";
import { toastDone, toastProblem } from "@/components/state/toast";
import { DomainsHeader, useBlock } from "../header";
import { integrationsQuery, providersQuery, useCheckIntegration, useRemoveIntegration, type Integration } from "./api";
import { IntegrationDialog } from "./integration-dialog";
import { IntegrationsView } from "./integrations-view";

export default function IntegrationsPage() {
  const { t } = useTranslation("cdn-dns");
  const integrations = useQuery(integrationsQuery);
  const providers = useQuery(providersQuery).data ?? [];
  const block = useBlock();
  const [editing, setEditing] = useState<Integration | "new">();
  const [removing, setRemoving] = useState<Integration>();
  const check = useCheckIntegration();
  const look = ({ id, label }: Integration) =>
    check.mutate(id, {
      onSuccess: (zones) => toastDone(t("checked", { label, count: zones.length })),
      onError: (error) => toastProblem(t("checkFailed", { label }), error),
    });
  return (
    <>
      <DomainsHeader
        current="integrations"
        closed={block}
        actions={
          <Action kind="filled" icon={IconPlus} onClick={() => setEditing("new")} reason={block}>
            {t("add")}
          </Action>
        }
      />
      <IntegrationsView
        state={viewState(integrations)}
        providers={providers}
        block={block}
        onEdit={setEditing}
        onCheck={look}
        onRemove={setRemoving}
      />
      {editing && (
        <IntegrationDialog
          integration={editing === "new" ? undefined : editing}
          providers={providers}
          onClose={() => setEditing(undefined)}
        />
      )}
      {removing && <Remove integration={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

function Remove({ integration, onClose }: { integration: Integration; onClose: () => void }) {
  const { t } = useTranslation("cdn-dns");
  const remove = useRemoveIntegration();
  const { id, label } = integration;
  const done = () => {
    toastDone(t("removed", { label }));
    onClose();
  };
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t("removeTitle", { label })}
      consequences={[t("removeRecords"), t("removeToken")]}
      verb={t("remove")}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(id, { onSuccess: done })}
    />
  );
}
