import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useWriteBlock } from "@/api/access";
import { useFigures } from "@/api/figures";
import { usePageTitle } from "@/components/layout/page-title";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { useSearchState } from "@/components/screen/use-search";
import { NodeActDialog, type AskedAct } from "../acts/node-act-dialog";
import { measuredNodeQuery } from "../shared/api";
import { DeleteNodeDialog } from "../shared/delete-node-dialog";
import { NodeView } from "./node-view";
import { ranges, type Range } from "./ranges";

const search = z.object({
  tab: z.string().catch("overview"),
  range: z.enum(Object.keys(ranges) as [Range, ...Range[]]).catch("1h"),
});

export default function NodePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { t } = useTranslation("nodes");
  const [{ tab, range }, setSearch] = useSearchState(search);
  const state = viewState(useQuery(measuredNodeQuery(id)));
  const node = state.kind === "ready" ? state.data : undefined;
  useFigures(useMemo(() => [id], [id]));
  const block = useWriteBlock({ needs: "nodes.edit" });
  const [deleting, setDeleting] = useState(false);
  const navigate = useNavigate();
  const [asked, setAsked] = useState<AskedAct>();
  usePageTitle(node?.name);
  if (state.kind === "loading") return <Skeleton rows={10} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadOneFailed")} />;
  return (
    <>
      <NodeView
        node={state.data}
        tab={tab}
        range={range}
        onRange={(next) => setSearch({ range: next })}
        block={block}
        acts={{
          maintain: (on) => setAsked(on ? "maintenance_on" : "maintenance_off"),
          restart: () => setAsked("restart_core"),
          remove: () => setDeleting(true),
        }}
      />
      {asked && <NodeActDialog act={asked} nodes={[state.data]} onClose={() => setAsked(undefined)} />}
      <DeleteNodeDialog
        node={deleting ? state.data : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: "/nodes" })}
      />
    </>
  );
}
