import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useWriteBlock } from "@/api/access";
import { usePageTitle } from "@/components/page-title";
import { ProblemView } from "@/components/problem-view";
import { Skeleton, viewState } from "@/components/states";
import { toastDone, toastProblem } from "@/components/toast";
import { useSearchState } from "@/components/use-search";
import { nodeQuery, useMaintenance, useRestartCore } from "./api";
import { DeleteNodeDialog } from "./delete-node-dialog";
import { NodeView } from "./node-view";
import { ranges, type Range } from "./ranges";

const search = z.object({
  tab: z.enum(["overview", "domains", "agent", "settings"]).catch("overview"),
  range: z.enum(Object.keys(ranges) as [Range, ...Range[]]).catch("1h"),
});

export default function NodePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { t } = useTranslation("nodes");
  const [{ tab, range }, setSearch] = useSearchState(search);
  const state = viewState(useQuery(nodeQuery(id)));
  const node = state.kind === "ready" ? state.data : undefined;
  const block = useWriteBlock({ needs: "nodes.edit" });
  const [deleting, setDeleting] = useState(false);
  const navigate = useNavigate();
  const maintenance = useMaintenance();
  const restart = useRestartCore();
  usePageTitle(node?.name);
  if (state.kind === "loading") return <Skeleton rows={10} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadOneFailed")} />;
  const onError = (error: unknown) => toastProblem(t("failed"), error);
  return (
    <>
      <NodeView
        node={state.data}
        tab={tab}
        range={range}
        onRange={(next) => setSearch({ range: next })}
        block={block}
        acts={{
          maintain: (on) => maintenance.mutate({ id, on }, { onError, onSuccess: () => toastDone(t(on ? "maintenanceOn" : "maintenanceOff", { count: 1 })) }),
          restart: () => restart.mutate(id, { onError, onSuccess: () => toastDone(t("restarting", { count: 1 })) }),
          remove: () => setDeleting(true),
        }}
      />
      <DeleteNodeDialog node={deleting ? state.data : undefined} flows={state.data.flow_ids.length} onClose={() => setDeleting(false)} onDeleted={() => void navigate({ to: "/nodes" })} />
    </>
  );
}
