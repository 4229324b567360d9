import { Select, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActDialog as KitDialog, type ActResult } from "@/components/dialog/act-dialog";
import { problemText } from "@/text/problem-text";
import { useFormat } from "@/text/use-format";
import type { CaseLine } from "../cases/api";
import { actsOn, carryOut, durations, type CaseAct } from "./acts";

interface ActDialogProps {
  act: CaseAct;
  cases: readonly CaseLine[];
  onClose: () => void;
}

/** The dialog of every act on cases: what it does, until when, and how it is taken back. */
export function ActDialog({ act, cases, onClose }: ActDialogProps) {
  const { t } = useTranslation("abuse");
  const queries = useQueryClient();
  const able = cases.filter((one) => actsOn(one).includes(act));
  const unable = cases.filter((one) => !able.includes(one));
  const [minutes, setMinutes] = useState(durations[act]?.[0] ?? 0);
  const [note, setNote] = useState("");
  const single = cases.length === 1 ? cases[0] : undefined;
  const resultOf = (one: CaseLine): Promise<ActResult> => {
    const named = { id: one.id, name: t("case.name", { number: one.number }) };
    return carryOut(one, { act, minutes, note }).then(
      () => ({ ...named, ok: true, text: t(`act.${act}.done`) }),
      (error: unknown) => ({ ...named, ok: false, text: problemText(error) }),
    );
  };
  const run = async (report: (results: ActResult[]) => void, failed?: string[]) => {
    const results: ActResult[] = [];
    for (const one of able.filter(({ id }) => failed?.includes(id) ?? true)) {
      results.push(await resultOf(one));
      report([...results]);
    }
    void queries.invalidateQueries({ queryKey: ["abuse"] });
    return results;
  };
  return (
    <KitDialog
      onClose={onClose}
      title={t(single ? `act.${act}.title` : "act.together", {
        number: single?.number,
        count: cases.length,
        act: t(`act.${act}.verb`),
      })}
      effects={[]}
      left={unable.map(({ id, number }) => ({ id, name: t("case.name", { number }), text: t("act.notNow") }))}
      undo={t(`act.${act}.undo`)}
      verb={t(`act.${act}.verb`)}
      dirty={note.trim() !== ""}
      reason={able.length === 0 ? t("act.nobody") : undefined}
      run={run}
      words={{ done: (count) => t("act.doneOn", { count }), retry: (count) => t("act.retryOn", { count }) }}
      fields={
        <>
          {durations[act] && <DurationField act={act} minutes={minutes} onChange={setMinutes} />}
          <Textarea
            size="md"
            label={t("act.note")}
            description={t("act.noteHelp")}
            maxLength={2000}
            autosize
            minRows={2}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
        </>
      }
    >
      {t(`act.${act}.text`)}
    </KitDialog>
  );
}

function DurationField({ act, minutes, onChange }: { act: CaseAct; minutes: number; onChange: (to: number) => void }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  return (
    <Select
      size="md"
      label={t("act.until")}
      description={t("act.untilHelp")}
      allowDeselect={false}
      data={[...(durations[act] ?? [])]
        .sort((a, b) => a - b)
        .map((value) => ({ value: String(value), label: format.span(value * 60) }))}
      value={String(minutes)}
      onChange={(value) => onChange(Number(value))}
    />
  );
}
