import { Modal, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useRequestKey } from "@/api/request-key";
import { Action } from "@/components/action/action";
import { DialogBody, DialogFoot } from "@/components/dialog/dialog-form";
import { Facts } from "@/components/layout/card";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import { previewQuery, targetsQuery, useStartCheck, type Preview, type Target } from "./api";
import { useRoubles } from "./money";

interface RunDialogProps {
  flow: { id: string; name: string };
  onClose: () => void;
}

/** Tells the price before anything is paid. Draw it only while it is open. */
export function RunDialog({ flow, onClose }: RunDialogProps) {
  const { t } = useTranslation("health");
  const state = viewState(useQuery(targetsQuery(flow.id)));
  return (
    <Modal opened onClose={onClose} title={t("external.runTitle", { name: flow.name })}>
      <DialogBody>
        {state.kind === "loading" && <Skeleton rows={3} />}
        {state.kind === "error" && (
          <ProblemView error={state.error} onRetry={state.retry} tried={t("external.loadFailed")} />
        )}
        {state.kind === "ready" && <Choice flow={flow} targets={state.data} onClose={onClose} />}
      </DialogBody>
    </Modal>
  );
}

function Choice({ flow, targets, onClose }: RunDialogProps & { targets: readonly Target[] }) {
  const { t } = useTranslation("health");
  const [node, setNode] = useState(targets[0]?.node_id);
  if (targets.length === 0) return <p className="soft">{t("external.noTargets")}</p>;
  return (
    <>
      {targets.length > 1 && (
        <Select
          size="md"
          label={t("external.node")}
          allowDeselect={false}
          data={targets.map(({ node_id: value, node_name: label }) => ({ value, label }))}
          value={node ?? null}
          onChange={(id) => id && setNode(id)}
        />
      )}
      <Priced key={node} flow={flow} node={node} onClose={onClose} />
    </>
  );
}

function Priced({ flow, node, onClose }: Pick<RunDialogProps, "flow" | "onClose"> & { node: string | undefined }) {
  const { t } = useTranslation("health");
  const state = viewState(useQuery(previewQuery(flow.id, node)));
  if (state.kind === "loading") return <Skeleton rows={3} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} onRetry={state.retry} tried={t("external.priceFailed")} />;
  return <Pay flow={flow} preview={state.data} onClose={onClose} />;
}

function Pay({ flow, preview, onClose }: Pick<RunDialogProps, "flow" | "onClose"> & { preview: Preview }) {
  const { t } = useTranslation("health");
  const roubles = useRoubles();
  const start = useStartCheck();
  const requestKey = useRequestKey(preview);
  const price = preview.price.amount;
  const pay = () =>
    start.mutate(
      { id: flow.id, nodeId: preview.node_id, price, requestKey },
      {
        onSuccess: () => {
          toastDone(t("external.begun", { name: flow.name }), t("external.begunText"));
          onClose();
        },
      },
    );
  return (
    <>
      {start.error !== null && <ProblemNote error={start.error} />}
      <Facts
        items={[
          { name: t("external.address"), value: preview.target, mono: true },
          { name: t("external.node"), value: preview.node_name },
          ...(preview.operators > 0 ? [{ name: t("external.operators"), value: preview.operators }] : []),
          { name: t("external.leftToday"), value: roubles(preview.budget.today.left) },
        ]}
      />
      <p className="soft">{t("external.runText")}</p>
      <DialogFoot>
        <Action size="dialog" onClick={onClose}>
          {t("cancel")}
        </Action>
        <Action
          size="dialog"
          kind="filled"
          busy={start.isPending}
          reason={preview.refused ? t(`external.refused.${preview.refused}`) : undefined}
          onClick={pay}
        >
          {t("external.pay", { price: roubles(price) })}
        </Action>
      </DialogFoot>
    </>
  );
}
