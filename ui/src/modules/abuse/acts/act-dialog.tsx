import { Select, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useRequestKey } from "@/api/request-key";
import { ActDialog as KitDialog, type ActEffect, type ActResult } from "@/components/dialog/act-dialog";
import { problemText } from "@/text/problem-text";
import { useFormat } from "@/text/use-format";
import type { CaseLine } from "../cases/api";
import { actsOn, carryOut, durations, isOnUser, usualLimits, type CaseAct } from "./acts";
import { LimitsField } from "./limits-field";
import { addressesQuery, hasNetworks, NetworksField } from "./networks-field";

interface ActDialogProps {
  act: CaseAct;
  cases: readonly CaseLine[];
  onClose: () => void;
}

/** The dialog of every act on cases and their users: what it does, until when, and how it is taken back. */
export function ActDialog({ act, cases, onClose }: ActDialogProps) {
  const { t } = useTranslation("abuse");
  const queries = useQueryClient();
  const able = cases.filter((one) => actsOn(one).includes(act));
  const unable = cases.filter((one) => !able.includes(one));
  const [minutes, setMinutes] = useState(durations[act]?.[0] ?? 0);
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState<string>();
  const [limits, setLimits] = useState(usualLimits);
  const known = useQuery({ ...addressesQuery(able[0]?.user_ref ?? ""), enabled: act === "block_ips" }).data ?? [];
  const networks = (typed ?? known.join("\n")).split(/[\s,]+/).filter(Boolean);
  const key = useRequestKey({ act, minutes, reason, networks, limits });
  const single = cases.length === 1 ? cases[0] : undefined;
  const words = { number: single?.number, count: cases.length };
  const run = async (report: (results: ActResult[]) => void, failed?: string[]) => {
    const results: ActResult[] = [];
    for (const one of able.filter(({ id }) => failed?.includes(id) ?? true)) {
      results.push(await resultOf(one, carryOut(one, { act, minutes, reason, networks, limits }, key)));
      report([...results]);
    }
    await queries.invalidateQueries({ queryKey: ["abuse"] });
    return results;
  };
  const resultOf = async (one: CaseLine, done: Promise<unknown>): Promise<ActResult> => {
    const named = { id: one.id, name: t("case.name", { number: one.number }) };
    return done.then(
      () => ({ ...named, ok: true, text: t(`act.${act}.done`) }),
      (error: unknown) => ({ ...named, ok: false, text: problemText(error) }),
    );
  };
  return (
    <KitDialog
      onClose={onClose}
      title={t(single ? `act.${act}.title` : "act.together", { ...words, act: t(`act.${act}.verb`) })}
      effects={useEffects(act, able)}
      left={unable.map(({ id, number }) => ({ id, name: t("case.name", { number }), text: t("act.notNow") }))}
      undo={t(`act.${act}.undo`)}
      verb={t(`act.${act}.verb`)}
      danger={act === "revoke" || act === "disable_user"}
      dirty={reason.trim() !== "" || typed !== undefined}
      reason={whyClosed({ act, able, reason, networks }, t)}
      run={run}
      words={{ done: (count) => t("act.doneOn", { count }), retry: (count) => t("act.retryOn", { count }) }}
      fields={
        <>
          {act === "block_ips" && <NetworksField known={known} value={typed ?? known.join("\n")} onChange={setTyped} />}
          {act === "limit" && <LimitsField value={limits} onChange={setLimits} />}
          {durations[act] && <DurationField act={act} minutes={minutes} onChange={setMinutes} />}
          <Textarea
            size="md"
            label={t(isOnUser(act) ? "act.reason" : "act.note")}
            description={t(isOnUser(act) ? "act.reasonHelp" : "act.noteHelp")}
            maxLength={500}
            autosize
            minRows={2}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        </>
      }
    >
      {t(`act.${act}.text`)}
    </KitDialog>
  );
}

interface Asked {
  act: CaseAct;
  able: readonly CaseLine[];
  reason: string;
  networks: readonly string[];
}

/** Why an act cannot be done yet. */
function whyClosed({ act, able, reason, networks }: Asked, t: (key: string) => string): string | undefined {
  if (able.length === 0) return t("act.nobody");
  if (act === "block_ips" && !hasNetworks(networks)) return t("act.noNetworks");
  return isOnUser(act) && reason.trim() === "" ? t("act.reasonMissing") : undefined;
}

function DurationField({ act, minutes, onChange }: { act: CaseAct; minutes: number; onChange: (to: number) => void }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const options = [...(durations[act] ?? [])].sort((a, b) => (a || Infinity) - (b || Infinity));
  return (
    <Select
      size="md"
      label={t("act.until")}
      description={t(act === "block_ips" ? "act.untilHelpAway" : "act.untilHelp")}
      allowDeselect={false}
      data={options.map((value) => ({
        value: String(value),
        label: value === 0 ? t("act.noEnd") : format.span(value * 60),
      }))}
      value={String(minutes)}
      onChange={(value) => onChange(Number(value))}
    />
  );
}

const mostNamed = 6;

/** Whom the act is about, and where. */
function useEffects(act: CaseAct, able: readonly CaseLine[]): ActEffect[] {
  const { t } = useTranslation("abuse");
  if (!isOnUser(act)) return [];
  const named = able.slice(0, mostNamed).map((one): ActEffect => {
    const nodes = one.nodes.map(({ name }) => name || t("gone")).join(", ");
    return { key: one.id, name: one.user.name || one.user_ref, text: t("act.on", { nodes: nodes || t("unknown") }) };
  });
  const rest = able.length - named.length;
  return rest > 0 ? [...named, { key: "rest", text: t("act.others", { count: rest }) }] : named;
}
