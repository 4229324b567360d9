import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { ActDialog, type ActResult } from "@/components/dialog/act-dialog";
import { problemText } from "@/text/problem-text";
import { dropKeptDraft } from "../editor/draft/stored-draft";
import { closeDraft } from "../editor/draft/use-draft";
import { dropKeptPlan } from "../plan/stored-plan";
import { nodesNowQuery, useDeleteFlow, useSwitchFlow, type Apply, type Flow } from "../shared/api";
import { effectsOnFlows, leftOut, type FlowAct } from "./flow-effects";

interface FlowActDialogProps {
  act: FlowAct;
  /** All that were chosen; those on which the act makes no sense are named and left out. */
  flows: readonly Flow[];
  onClose: () => void;
}

/** The dialog of every act on whole flows, for one and for many. Draw it only while it is open. */
export function FlowActDialog({ act, flows, onClose }: FlowActDialogProps) {
  const { t } = useTranslation("flows");
  const navigate = useNavigate();
  const [chosen] = useState(flows);
  const taking = chosen.filter((flow) => !leftOut(act, flow));
  const nodeIds = [...new Set(taking.flatMap((flow) => flow.node_ids))];
  const seesNodes = useAccess().can("nodes.view");
  const nodes = useQuery({ ...nodesNowQuery(nodeIds), enabled: seesNodes && nodeIds.length > 0 });
  const perform = usePerform(act);
  const effects = effectsOnFlows(act, taking, { ids: nodeIds, known: nodes.data ?? [], sees: seesNodes }, t);
  const only = chosen.length === 1 ? chosen[0] : undefined;
  const names = { name: only?.name, number: only?.installed_version_number };

  const one = async (flow: Flow): Promise<ActResult> => {
    try {
      await perform(flow);
      return { id: flow.id, name: flow.name, ok: true, text: t("act.started") };
    } catch (error) {
      return { id: flow.id, name: flow.name, ok: false, text: problemText(error) };
    }
  };
  const run = async (report: (results: ActResult[]) => void, failed?: string[]): Promise<ActResult[]> => {
    if (only) {
      const apply = await perform(only);
      onClose();
      void navigate({ to: act === "delete" ? "/flows" : `/flows/${only.id}/applies/${apply.apply_id}` });
      return [];
    }
    const results: ActResult[] = [];
    for (const flow of taking.filter(({ id }) => !failed || failed.includes(id))) {
      results.push(await one(flow));
      report([...results]);
    }
    return results;
  };
  return (
    <ActDialog
      onClose={onClose}
      title={only ? t(`act.${act}.title`, names) : t(`act.${act}.titleMany`, { count: taking.length })}
      effects={seesNodes && nodes.isLoading ? undefined : effects}
      effectsError={nodes.error}
      left={chosen
        .filter((flow) => leftOut(act, flow))
        .map((flow) => ({ id: flow.id, name: flow.name, text: t(leftOut(act, flow)!) }))}
      undo={t(`act.${act}.undo`)}
      verb={t(`act.${act}.verb`)}
      danger={act !== "enable"}
      typed={act === "delete" ? only?.name : undefined}
      reason={taking.length === 0 ? t("act.nobody") : undefined}
      words={{
        done: (count) => t("act.done", { count }),
        retry: (count) => t("act.retry", { count }),
      }}
      run={run}
    >
      {t(`act.${act}.what`, { ...names, count: taking.length })}
    </ActDialog>
  );
}

function usePerform(act: FlowAct): (flow: Flow) => Promise<Apply> {
  const remove = useDeleteFlow();
  const put = useSwitchFlow();
  return async (flow) => {
    if (act !== "delete") return put.mutateAsync({ id: flow.id, on: act === "enable" });
    const apply = await remove.mutateAsync(flow.id);
    closeDraft(flow.id);
    dropKeptDraft(flow.id);
    dropKeptPlan(flow.id);
    return apply;
  };
}
