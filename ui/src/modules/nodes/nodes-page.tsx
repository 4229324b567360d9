import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import type { ViewState } from "@/components/states";
import { toastDone, toastFailed, toastProblem } from "@/components/toast";
import { useSearchState } from "@/components/use-search";
import { nodesQuery, summaryQuery, useBulk, useMaintenance, useRestartCore, type BulkAct, type BulkRequest } from "./api";
import { bulkFailures } from "./bulk-failures";
import { DeleteNodeDialog } from "./delete-node-dialog";
import { bySeverity } from "./node-status";
import { nodesFilter } from "./nodes-filter";
import { NodesView, type NodesData } from "./nodes-view";
import type { Node } from "./types";

const bulkWords: Record<BulkAct, string> = {
  restart_core: "restarting",
  maintenance_on: "maintenanceOn",
  maintenance_off: "maintenanceOff",
  tags: "bulk.tags",
  disable: "bulk.disable",
  enable: "bulk.enable",
  update_agent: "bulk.update",
};

export default function NodesPage() {
  const { t } = useTranslation("nodes");
  const [filter, setFilter] = useSearchState(nodesFilter);
  const list = useInfiniteQuery(nodesQuery({ ...filter, sort: filter.sort ?? "state" }));
  const summary = useQuery(summaryQuery).data;
  const block = useWriteBlock({ needs: "nodes.edit" });
  const [deleting, setDeleting] = useState<Node>();
  const maintenance = useMaintenance();
  const restart = useRestartCore();
  const many = useBulk();
  const failed = (error: unknown) => toastProblem(t("failed"), error);

  const state = useMemo((): ViewState<NodesData> => {
    if (list.data) return { kind: "ready", data: nodesData(list.data.pages, !filter.sort) };
    if (list.error) return { kind: "error", error: list.error, retry: () => void list.refetch() };
    return { kind: "loading" };
  }, [list, filter.sort]);

  const bulk = (nodes: Node[], request: BulkRequest) =>
    many.mutate(
      { ids: nodes.map((node) => node.id), ...request },
      {
        onError: failed,
        onSuccess: (results) => {
          const passed = results.filter((result) => result.ok).length;
          if (passed > 0) toastDone(t(bulkWords[request.act], { count: passed }));
          if (passed < results.length) toastFailed(t("bulk.failed", { count: results.length - passed }), bulkFailures(results, nodes));
        },
      },
    );

  return (
    <>
      <NodesView
        state={state}
        filter={filter}
        onFilter={setFilter}
        summary={summary}
        block={block}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
        acts={{
          restart: (node) => restart.mutate(node.id, { onError: failed, onSuccess: () => toastDone(t("restarting", { count: 1 })) }),
          maintain: (node, on) => maintenance.mutate({ id: node.id, on }, { onError: failed, onSuccess: () => toastDone(t(on ? "maintenanceOn" : "maintenanceOff", { count: 1 })) }),
          bulk,
          remove: setDeleting,
        }}
      />
      <DeleteNodeDialog node={deleting} onClose={() => setDeleting(undefined)} onDeleted={() => setDeleting(undefined)} />
    </>
  );
}

function nodesData(pages: { items: Node[]; total: number }[], worstFirst: boolean): NodesData {
  const rows = pages.flatMap((page) => page.items);
  return { rows: worstFirst ? [...rows].sort(bySeverity) : rows, total: pages.at(-1)?.total ?? 0 };
}
