import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { answer, api } from "@/api/client";
import { ActDialog, type ActEffect } from "@/components/dialog/act-dialog";
import { toastDone } from "@/components/state/toast";
import { flowsOnNodesQuery } from "../acts/effects";

interface DeleteNodeDialogProps {
  node: { id: string; name: string } | undefined;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteNodeDialog({ node, ...rest }: DeleteNodeDialogProps) {
  return node && <OpenDialog key={node.id} node={node} {...rest} />;
}

function OpenDialog({ node, onClose, onDeleted }: DeleteNodeDialogProps & { node: { id: string; name: string } }) {
  const { t } = useTranslation("nodes");
  const queries = useQueryClient();
  const seesFlows = useAccess().can("connection_units.view");
  const flows = useQuery({ ...flowsOnNodesQuery([node.id]), enabled: seesFlows });
  const used = flows.data ?? [];
  const effects: ActEffect[] = [
    ...used.map((flow): ActEffect => {
      return { key: flow.id, glyph: "down", name: flow.name, path: `/flows/${flow.id}`, text: t("delete.runs") };
    }),
    { key: "agent", glyph: "down", text: t("delete.agent") },
    { key: "history", glyph: "down", text: t("delete.history") },
  ];
  if (!seesFlows) effects.unshift({ key: "unseen", glyph: "no-data", text: t("delete.inUse") });
  return (
    <ActDialog
      onClose={onClose}
      title={t("delete.title", { name: node.name })}
      verb={t("delete.verb")}
      danger
      typed={node.name}
      effects={seesFlows && flows.data === undefined ? undefined : effects}
      effectsError={flows.error}
      undo={t("delete.undo")}
      reason={used.length > 0 ? t("delete.flows", { count: used.length }) : undefined}
      run={async () => {
        await answer(api.DELETE("/api/v1/nodes/{id}", { params: { path: { id: node.id } } }));
        queries.removeQueries({ queryKey: ["nodes", "one", node.id] });
        void queries.invalidateQueries({ queryKey: ["nodes"] });
        toastDone(t("delete.done", { name: node.name }));
        onDeleted();
        return [{ id: node.id, name: node.name, ok: true, text: t("act.done") }];
      }}
    >
      {t("delete.text")}
    </ActDialog>
  );
}
