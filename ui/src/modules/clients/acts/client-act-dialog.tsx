import { NumberInput, Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ActDialog, type ActResult } from "@/components/dialog/act-dialog";
import { TagChangeFields, useTagChange } from "@/components/form/tag-change";
import { useFormat } from "@/text/use-format";
import { flowNamesQuery, mostDays, type Acts, type Client } from "../api";
import { LimitsFields } from "../limits-fields";
import { effectsOf, whyLeft, type ClientAct } from "./effects";
import { runAct } from "./run";

interface ClientActDialogProps {
  act: ClientAct;
  /** All that were chosen; those on which the act makes no sense are named and left out. */
  clients: readonly Client[];
  onClose: () => void;
}

/** The act that takes another back. */
const opposites: Partial<Record<ClientAct, "enable" | "disable">> = { disable: "enable", enable: "disable" };

/** The dialog of every act on clients, for one and for many. Draw it only while it is open. */
export function ClientActDialog({ act, clients, onClose }: ClientActDialogProps) {
  const { t } = useTranslation("clients");
  const format = useFormat();
  const queries = useQueryClient();
  // What was chosen stays the same while the list behind is refreshed.
  const [chosen] = useState(clients);
  const entry = useEntry(act, chosen);
  const why = (client: Client) => whyLeft(act, client, entry.request.flow_id);
  const taking = chosen.filter((client) => why(client) === undefined);
  const stale = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ["clients"] }),
      queries.invalidateQueries({ queryKey: ["flows"] }),
    ]);
  const perform = (these: readonly Client[], request: Omit<Acts, "ids">, report: (results: ActResult[]) => void) =>
    runAct(these, request, t("act.done"), report).finally(() => void stale());
  const opposite = opposites[act];
  const only = chosen.length === 1 ? chosen[0] : undefined;
  return (
    <ActDialog
      onClose={onClose}
      title={only ? t(`act.${act}.title`, { name: only.label }) : t(`act.${act}.titleMany`, { count: taking.length })}
      verb={t(`act.${act}.verb`)}
      danger={act === "revoke" || act === "disable"}
      typed={act === "revoke" && !only ? t("act.revokeWord") : undefined}
      effects={effectsOf(act, taking, t, format)}
      left={chosen
        .filter((client) => why(client) !== undefined)
        .map((client) => ({ id: client.id, name: client.label, text: t(why(client)!) }))}
      undo={t(`act.${act}.undo`)}
      reason={taking.length === 0 ? t("act.nobody") : entry.missing}
      dirty={entry.dirty}
      fields={entry.fields}
      words={{ done: (count) => t("act.doneMany", { count }), retry: (count) => t("act.retry", { count }) }}
      run={(report, failed) =>
        perform(
          taking.filter((client) => failed === undefined || failed.includes(client.id)),
          entry.request,
          report,
        )
      }
      takeBack={
        opposite && {
          verb: t(`act.${opposite}.verb`),
          run: (done) =>
            perform(
              taking.filter((client) => done.includes(client.id)),
              { act: opposite },
              () => undefined,
            ),
        }
      }
    >
      {t(`act.${act}.what`, { count: taking.length })}
    </ActDialog>
  );
}

interface Entry {
  request: Omit<Acts, "ids">;
  fields?: ReactNode;
  dirty: boolean;
  /** Why what was entered does not do. */
  missing?: string;
}

/** What has to be entered for the act, and the request that it makes. */
function useEntry(act: ClientAct, clients: readonly Client[]): Entry {
  const { t } = useTranslation("clients");
  const [days, setDays] = useState<number | string>(30);
  const { change, setChange, nothing } = useTagChange();
  const [flow, setFlow] = useState<string | null>(null);
  const [limits, setLimits] = useState(clients.length === 1 ? clients[0]!.limits : {});
  const flows = useQuery({ ...flowNamesQuery, enabled: act === "give_flow" }).data ?? [];
  if (act === "extend") {
    const count = Number(days);
    const fits = Number.isInteger(count) && count >= 1 && count <= mostDays;
    return {
      request: { act, extend_days: count },
      dirty: count !== 30,
      missing: fits ? undefined : t("act.extend.missing"),
      fields: (
        <NumberInput
          size="md"
          data-autofocus
          label={t("act.extend.days")}
          description={t("act.extend.daysHelp")}
          min={1}
          max={mostDays}
          allowDecimal={false}
          value={days}
          onChange={setDays}
        />
      ),
    };
  }
  if (act === "limits") {
    return {
      request: { act, limits },
      dirty: Object.values(limits).some((limit) => limit !== undefined),
      fields: <LimitsFields limits={limits} onChange={setLimits} />,
    };
  }
  if (act === "give_flow") {
    return {
      request: { act, flow_id: flow ?? "" },
      dirty: flow !== null,
      missing: flow === null ? t("act.give_flow.missing") : undefined,
      fields: (
        <Select
          size="md"
          data-autofocus
          label={t("filter.flow")}
          placeholder={t("act.give_flow.choose")}
          data={flows}
          searchable
          nothingFoundMessage={t("form.flowsNone")}
          value={flow}
          onChange={setFlow}
        />
      ),
    };
  }
  if (act !== "tags") return { request: { act }, dirty: false };
  return {
    request: { act, ...change },
    dirty: !nothing,
    missing: nothing ? t("act.tags.missing") : undefined,
    fields: <TagChangeFields of={clients} change={change} onChange={setChange} />,
  };
}
