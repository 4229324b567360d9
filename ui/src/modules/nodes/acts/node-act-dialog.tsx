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
const dangers: AskedAct[] = ["restart_core", "delete"];

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
  const able = chosen.filter((node) => whyLeft(act, node) === undefined);
  const seesFlows = useAccess().can("connection_units.view");
  const flows = useQuery({ ...flowsOnNodesQuery(able.map((node) => node.id)), enabled: seesFlows });
  const used = new Set(act === "delete" ? flows.data?.flatMap((flow) => flow.node_ids) : []);
  const why = (node: Node) => whyLeft(act, node) ?? (used.has(node.id) ? "act.leftInUse" : undefined);
  const taking = chosen.filter((node) => why(node) === undefined);
  const leaving = chosen.filter((node) => why(node) !== undefined);
  const quietest = useQuery(quietestHourQuery(interrupts.includes(act) ? taking : [])).data;
  const hit = act === "delete" ? [] : (flows.data ?? []);
  const effects = effectsOn(taking, hit, interrupts.includes(act), t).filter(
    (effect) => seesFlows || effect.key !== "none",
  );
  if (!seesFlows) effects.unshift({ key: "unseen", glyph: "no-data", text: t("act.unseen") });
  if (quietest) {
    const values = { time: format.clock(quietest.at), count: Math.round(quietest.open) };
    const word = quietest.metric === "sessions" ? "act.quietestSessions" : "act.quietest";
    effects.push({ key: "quietest", glyph: "no-data", text: t(word, values) });
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
      danger={dangers.includes(act)}
      typed={act === "delete" ? t("act.deleteWord") : undefined}
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
    const word = why(node)!;
    if (word !== "act.leftMaintenance" || !node.maintenance) return t(word);
    const { until: end, reason: cause } = node.maintenance;
    return [t(word), end && t("act.leftUntil", { moment: format.moment(end) }), cause && t("act.cause", { cause })]
      .filter(Boolean)
      .join(", ");
  }
}
