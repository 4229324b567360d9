import { Checkbox } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/dialog/confirm";
import { toastDone } from "@/components/state/toast";
import { isUnderWay, useDistribute, useRemoveAsset, useRollBack, useUpdateAsset, type Asset } from "./api";
import { shortDigest } from "./state";

export const assetActs = ["update", "distribute", "rollback", "remove"] as const;
export type AssetAct = (typeof assetActs)[number];

/** Why an act makes no sense for a file now, as the key of a sentence. */
export function closedActs(asset: Asset) {
  const busy = isUnderWay(asset);
  return {
    update: busy ? ("closed.busy" as const) : undefined,
    distribute: busy
      ? ("closed.busy" as const)
      : asset.candidate === null
        ? ("closed.noCandidate" as const)
        : undefined,
    rollback: asset.previous === null ? ("closed.noPrevious" as const) : undefined,
    remove: undefined,
  };
}

interface AssetActDialogProps {
  act: AssetAct;
  asset: Asset;
  onClose: () => void;
  onRemoved?: () => void;
}

/** Says what an act does to the nodes, and does it. */
export function AssetActDialog({ act, asset, onClose, onRemoved }: AssetActDialogProps) {
  const { t } = useTranslation("geo");
  const [atOnce, setAtOnce] = useState(true);
  const update = useUpdateAsset();
  const distribute = useDistribute();
  const rollback = useRollBack();
  const remove = useRemoveAsset();
  const running = { update, distribute, rollback, remove }[act];
  const onSuccess = () => {
    toastDone(t(`act.${act}.done`, { name: asset.name }));
    onClose();
    if (act === "remove") onRemoved?.();
  };
  const run = () => {
    if (act === "update") update.mutate({ id: asset.id, distribute: atOnce }, { onSuccess });
    else (act === "distribute" ? distribute : act === "rollback" ? rollback : remove).mutate(asset.id, { onSuccess });
  };
  const target = act === "rollback" ? asset.previous : asset.candidate;
  return (
    <Confirm
      opened
      danger={act === "remove" || act === "rollback"}
      onClose={onClose}
      onConfirm={run}
      title={t(`act.${act}.title`, { name: asset.name })}
      verb={t(`act.${act}.verb`)}
      typed={act === "remove" ? asset.name : undefined}
      busy={running.isPending}
      error={running.error}
      note={target && act !== "update" && act !== "remove" ? shortDigest(target.sha256) : undefined}
      consequences={consequences[act].map((key) => t(key))}
    >
      {act === "update" && (
        <Checkbox
          checked={atOnce}
          onChange={(event) => setAtOnce(event.currentTarget.checked)}
          label={t("act.update.atOnce")}
          description={t("act.update.atOnceHelp")}
        />
      )}
    </Confirm>
  );
}

const consequences = {
  update: ["act.update.checked", "act.update.old"],
  distribute: ["act.rings", "act.streams", "act.back"],
  rollback: ["act.rollback.all", "act.streams", "act.rollback.pin"],
  remove: ["act.remove.nodes", "act.remove.used"],
} as const;
