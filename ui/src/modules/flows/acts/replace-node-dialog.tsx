import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActDialog, type ActResult } from "@/components/dialog/act-dialog";
import { NodeSelect } from "../shared/node-select";
import { effectsOfRedraw, followRedraw, leftOfRedraw, replaceNode, type RedrawItem } from "../shared/redraw-api";
import { useRedrawReason } from "./redraw-reason";

/** Puts another node in the place of one, in all drafts and host names. Draw it only while it is open. */
export function ReplaceNodeDialog({ node, onClose }: { node: string; onClose: () => void }) {
  const { t } = useTranslation("flows");
  const navigate = useNavigate();
  const queries = useQueryClient();
  const reason = useRedrawReason();
  const [by, setBy] = useState<string | null>(null);
  const told = useQuery({
    queryKey: ["flows-replace-node", node, by],
    queryFn: ({ signal }) => replaceNode({ node_id: node, by_node_id: by ?? "", dry_run: true }, signal),
    enabled: by !== null && by !== node,
    retry: false,
    gcTime: 0,
  });
  const current = by !== null && !told.isFetching ? told.data : undefined;
  const said = (item: RedrawItem) => sentence(item, t, reason);
  const run = async (report: (results: ActResult[]) => void, failed?: string[]): Promise<ActResult[]> => {
    const begun = await replaceNode({ node_id: node, by_node_id: by ?? "", ...(failed && { flow_ids: failed }) });
    return followRedraw(begun, said, report).finally(() => void queries.invalidateQueries({ queryKey: ["flows"] }));
  };
  const review = (done: string[]) => {
    onClose();
    void navigate({ to: "/flows/bulk", search: { flows: done.join(",") } });
  };
  return (
    <ActDialog
      onClose={onClose}
      title={t("replace.title")}
      effects={by === null ? [] : current && effectsOfRedraw(current, said)}
      effectsError={told.error}
      left={current && leftOfRedraw(current, said)}
      undo={t("replace.undo")}
      verb={t("retarget.verb")}
      reason={whyNot(node, by, current, t)}
      dirty={by !== null}
      fields={<NodeSelect size="md" label={t("replace.by")} value={by} onChange={setBy} />}
      words={{ done: (count) => t("redraw.done", { count }), retry: (count) => t("act.retry", { count }) }}
      onward={{ verb: t("redraw.review"), run: review }}
      run={run}
    >
      {t("replace.what")}
    </ActDialog>
  );
}

function whyNot(node: string, by: string | null, told: { items: RedrawItem[] } | undefined, t: TFunction<"flows">) {
  if (by === null) return t("replace.none");
  if (by === node) return t("replace.same");
  if (told === undefined) return t("redraw.asking");
  return told.items.some(({ state }) => state === "waiting") ? undefined : t("act.nobody");
}

/** What happens to one flow, or has happened: its blocks, and the host names that move with it. */
function sentence(item: RedrawItem, t: TFunction<"flows">, reason: (item: RedrawItem) => string): string {
  if (item.state === "left_out") return reason(item);
  const moves = item.domains.length > 0 ? [t("replace.hosts", { names: item.domains.join(", ") })] : [];
  const first = item.state === "changed" ? t("redraw.changed") : t("replace.blocks", { count: item.blocks.length });
  return [first, ...moves].join(" · ");
}
