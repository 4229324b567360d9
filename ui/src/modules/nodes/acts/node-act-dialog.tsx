import { TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActDialog } from "@/components/dialog/act-dialog";
import { DateTimeField } from "@/components/form/date-time-field";
import { useFormat } from "@/text/use-format";
import { useAccess } from "@/api/access";
import type { BulkAct, BulkRequest } from "../shared/api";
import type { Node } from "../shared/types";
import { whyLeft } from "./chosen";
import { effectsOn, flowsOnNodesQuery } from "./effects";
import { quietestHourQuery } from "./quietest-hour";
import { runAct } from "./run";

export type AskedAct = Exclude<BulkAct, "tags">;

interface NodeActDialogProps {
  act: AskedAct;
  /** All that were chosen; those on which the act makes no sense are named and left out. */
  nodes: readonly Node[];
  onClose: () => void;
}

const interrupts: AskedAct[] = ["restart_core"];

/** The act that takes another back. */
const opposites: Partial<Record<AskedAct, AskedAct>> = {
  maintenance_on: "maintenance_off",
  disable: "enable",
  enable: "disable",
};

/** The dialog of every act on nodes, for one and for many. Draw it only while it is open. */
export function NodeActDialog({ act, nodes, onClose }: NodeActDialogProps) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const queries = useQueryClient();
  // What was chosen stays the same while the list behind is refreshed.
  const [chosen] = useState(nodes);
  const [until, setUntil] = useState<string>();
  const [reason, setReason] = useState("");
  const taking = chosen.filter((node) => whyLeft(act, node) === undefined);
  const leaving = chosen.filter((node) => whyLeft(act, node) !== undefined);
  const seesFlows = useAccess().can("connection_units.view");
  const flows = useQuery({ ...flowsOnNodesQuery(taking.map((node) => node.id)), enabled: seesFlows });
  const only = taking.length === 1 && interrupts.includes(act) ? taking[0]!.id : undefined;
  const quietest = useQuery(quietestHourQuery(only)).data;
  const effects = effectsOn(taking, flows.data ?? [], t).filter((effect) => seesFlows || effect.key !== "none");
  if (!seesFlows) effects.unshift({ key: "unseen", glyph: "no-data", text: t("act.unseen") });
  if (quietest) {
    const values = { time: format.clock(quietest.at), count: Math.round(quietest.connections) };
    effects.push({ key: "quietest", glyph: "no-data", text: t("act.quietest", values) });
  }
  const opposite = opposites[act];
  const request: BulkRequest = act === "maintenance_on" ? { act, until, reason: reason.trim() || undefined } : { act };
  const perform = (these: readonly Node[], report: Parameters<typeof runAct>[3]) =>
    runAct(these, request, t, report).finally(() => void queries.invalidateQueries({ queryKey: ["nodes"] }));
  return (
    <ActDialog
      onClose={onClose}
      title={
        chosen.length === 1
          ? t(`act.${act}.title`, { name: chosen[0]!.name })
          : t(`act.${act}.titleMany`, { count: taking.length })
      }
      verb={t(`act.${act}.verb`)}
      danger={interrupts.includes(act)}
      effects={seesFlows && flows.data === undefined ? undefined : effects}
      effectsError={flows.error}
      left={leaving.map((node) => ({ id: node.id, name: node.name, text: leftText(node) }))}
      undo={t(`act.${act}.undo`)}
      reason={taking.length === 0 ? t("act.nobody") : undefined}
      dirty={reason !== "" || until !== undefined}
      fields={
        act === "maintenance_on" && (
          <>
            <TextInput
              label={t("act.reason")}
              maxLength={200}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
            <DateTimeField label={t("act.until")} description={t("act.untilHelp")} value={until} onChange={setUntil} />
          </>
        )
      }
      takeBack={
        opposite && {
          verb: t(`act.${opposite}.verb`),
          run: (done) =>
            runAct(
              taking.filter((node) => done.includes(node.id)),
              { act: opposite },
              t,
              () => undefined,
            ).finally(() => void queries.invalidateQueries({ queryKey: ["nodes"] })),
        }
      }
      run={(report, failed) =>
        perform(
          taking.filter((node) => failed === undefined || failed.includes(node.id)),
          report,
        )
      }
    >
      {t(`act.${act}.what`, { count: taking.length })}
    </ActDialog>
  );

  function leftText(node: Node): string {
    const word = whyLeft(act, node)!;
    if (word !== "act.leftMaintenance" || !node.maintenance) return t(word);
    const { until: end, reason: why } = node.maintenance;
    return [t(word), end && t("act.leftUntil", { moment: format.moment(end) }), why && `«${why}»`]
      .filter(Boolean)
      .join(", ");
  }
}
