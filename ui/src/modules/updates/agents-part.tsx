import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Confirm } from "@/components/dialog/confirm";
import { viewState } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import { AgentsView } from "./agents-view";
import { ringsQuery, rolloutQuery, rolloutsQuery, useRetryNode, useStartRollout, useStopRollout } from "./api";
import { RingsDialog } from "./rings-dialog";

export function AgentsPart() {
  const { t } = useTranslation("updates");
  const rings = useQuery(ringsQuery);
  const rollouts = useQuery(rolloutsQuery);
  const [chosen, setChosen] = useState<string>();
  const shown = chosen ?? rings.data?.active?.id ?? rollouts.data?.[0]?.id;
  const rollout = useQuery({ ...rolloutQuery(shown ?? ""), enabled: shown !== undefined });
  const [editing, setEditing] = useState(false);
  const [ring, setRing] = useState<number>();
  const start = useStartRollout();
  const stop = useStopRollout();
  const retry = useRetryNode();
  const block = useWriteBlock({ needs: "nodes.edit", whileReadOnly: true });
  const build = rings.data?.build;
  const close = () => {
    setRing(undefined);
    start.reset();
  };
  const begin = () =>
    build &&
    ring !== undefined &&
    start.mutate(
      { ring, version: build.version },
      {
        onSuccess: () => {
          close();
          setChosen(undefined);
          toastDone(t("agents.begun"));
        },
      },
    );
  const through =
    rings.data?.rings
      .filter((one) => ring !== undefined && one.ring <= ring)
      .reduce((sum, one) => sum + one.nodes, 0) ?? 0;
  return (
    <>
      <AgentsView
        state={viewState(rings)}
        rollouts={rollouts.data ?? []}
        rollout={shown === undefined ? undefined : rollout.data}
        block={block}
        onShow={setChosen}
        onStart={setRing}
        onRings={() => setEditing(true)}
        stop={{ run: (id) => stop.mutate(id), busy: stop.isPending, error: stop.error }}
        retry={{
          run: (id) => retry.mutate(id, { onSuccess: () => setChosen(undefined) }),
          busy: retry.isPending,
          error: retry.error,
        }}
      />
      <RingsDialog opened={editing} rings={rings.data} onClose={() => setEditing(false)} />
      <Confirm
        opened={ring !== undefined && !!build}
        onClose={close}
        onConfirm={begin}
        busy={start.isPending}
        error={start.error}
        danger={false}
        title={t("agents.startTitle", { version: build?.version })}
        verb={t("agents.startVerb", { count: through })}
        consequences={[
          t("agents.startRings", { ring }),
          t("agents.startStop"),
          t("agents.startBack"),
          t("agents.startTraffic"),
        ]}
      />
    </>
  );
}
