import { Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActDialog, type ActResult } from "@/components/dialog/act-dialog";
import type { Flow } from "../shared/api";
import {
  changeTarget,
  effectsOfRedraw,
  followRedraw,
  leftOfRedraw,
  type NewTarget,
  type RedrawItem,
} from "../shared/redraw-api";
import { useRedrawReason } from "./redraw-reason";

const chosenOnes = "chosen";
const settles = 400;

/** Gives chosen flows, or all with one target, another REALITY target. Draw it only while it is open. */
export function ChangeTargetDialog({ flows, onClose }: { flows: readonly Flow[]; onClose: () => void }) {
  const { t } = useTranslation("flows");
  const navigate = useNavigate();
  const queries = useQueryClient();
  const reason = useRedrawReason();
  const [chosen] = useState(flows);
  const [target, setTarget] = useState("");
  const [scope, setScope] = useState(chosenOnes);
  const [settled] = useDebouncedValue(target.trim(), settles);
  const body: NewTarget = {
    target: settled,
    ...(scope === chosenOnes ? { flow_ids: chosen.map(({ id }) => id) } : { from: scope }),
  };
  const told = useQuery({
    queryKey: ["flows-change-target", body],
    queryFn: ({ signal }) => changeTarget({ ...body, dry_run: true }, signal),
    enabled: settled !== "",
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  const current = settled !== "" && settled === target.trim() && !told.isFetching ? told.data : undefined;
  const said = (item: RedrawItem) => targetSentence(item, t, reason);
  const run = async (report: (results: ActResult[]) => void, failed?: string[]): Promise<ActResult[]> => {
    const begun = await changeTarget(failed ? { target: settled, flow_ids: failed } : body);
    return followRedraw(begun, said, report).finally(() => void queries.invalidateQueries({ queryKey: ["flows"] }));
  };
  const review = (done: string[]) => {
    onClose();
    void navigate({ to: "/flows/bulk", search: { flows: done.join(",") } });
  };
  return (
    <ActDialog
      onClose={onClose}
      title={t("retarget.title")}
      effects={settled === "" ? [] : current && effectsOfRedraw(current, said)}
      effectsError={told.error}
      left={current && leftOfRedraw(current, said)}
      undo={t("retarget.undo")}
      verb={t("retarget.verb")}
      reason={whyNot(target, current, t)}
      dirty={target !== ""}
      fields={
        <>
          <TextInput
            size="md"
            label={t("retarget.target")}
            description={t("retarget.targetHint")}
            placeholder="www.example.org"
            autoComplete="off"
            spellCheck={false}
            value={target}
            onChange={(event) => setTarget(event.currentTarget.value)}
          />
          <Select
            size="md"
            label={t("retarget.scope")}
            allowDeselect={false}
            data={[
              { value: chosenOnes, label: t("retarget.chosen", { count: chosen.length }) },
              ...targetsOf(chosen).map((one) => ({ value: one, label: t("retarget.allWith", { target: one }) })),
            ]}
            value={scope}
            onChange={(value) => setScope(value ?? chosenOnes)}
          />
        </>
      }
      words={{ done: (count) => t("redraw.done", { count }), retry: (count) => t("act.retry", { count }) }}
      onward={{ verb: t("redraw.review"), run: review }}
      run={run}
    >
      {t("retarget.what")}
    </ActDialog>
  );
}

const targetsOf = (flows: readonly Flow[]) => [
  ...new Set(flows.flatMap(({ entry }) => entry?.listener?.reality?.target ?? [])),
];

function whyNot(target: string, told: { items: RedrawItem[] } | undefined, t: TFunction<"flows">) {
  if (target.trim() === "") return t("retarget.noTarget");
  if (told === undefined) return t("redraw.asking");
  return told.items.some(({ state }) => state === "waiting") ? undefined : t("act.nobody");
}

/** What happens to one flow, or has happened. */
function targetSentence(item: RedrawItem, t: TFunction<"flows">, reason: (item: RedrawItem) => string): string {
  if (item.state === "left_out") return reason(item);
  if (item.state === "changed") return t("redraw.changed");
  const nodes = (check: string) =>
    [...new Set(item.blocks.filter((block) => block.check === check).map(({ node_name }) => node_name))].join(", ");
  const parts = (["fresh", "needed", "running"] as const)
    .map((check) => [check, nodes(check)] as const)
    .filter(([, names]) => names !== "");
  return parts.map(([check, names]) => t(`retarget.check.${check}`, { nodes: names })).join(" · ");
}
