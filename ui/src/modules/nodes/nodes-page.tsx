import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import type { ViewState } from "@/components/states";
import { toastDone, toastProblem } from "@/components/toast";
import { useSearchState } from "@/components/use-search";
import { nodesQuery, summaryQuery, useMaintenance, useRestartCore } from "./api";
import { DeleteNodeDialog } from "./delete-node-dialog";
import { bySeverity } from "./node-status";
import { nodesFilter } from "./nodes-filter";
import { NodesView, type NodesData } from "./nodes-view";
import type { Node } from "./types";

export default function NodesPage() {
  const { t } = useTranslation("nodes");
  const [filter, setFilter] = useSearchState(nodesFilter);
  const list = useInfiniteQuery(nodesQuery({ ...filter, sort: filter.sort ?? "state" }));
  const summary = useQuery(summaryQuery).data;
  const block = useWriteBlock({ needs: "nodes.edit" });
  const [deleting, setDeleting] = useState<Node>();
  const maintenance = useMaintenance();
  const restart = useRestartCore();
  const failed = (error: unknown) => toastProblem(t("failed"), error);

  const state = useMemo((): ViewState<NodesData> => {
    if (list.data) return { kind: "ready", data: nodesData(list.data.pages, !filter.sort) };
    if (list.error) return { kind: "error", error: list.error, retry: () => void list.refetch() };
    return { kind: "loading" };
  }, [list, filter.sort]);

  const forEach = (nodes: Node[], act: (id: string) => Promise<unknown>, done: string) =>
    void Promise.allSettled(nodes.map((node) => act(node.id))).then((results) => {
      const refused = results.find((result) => result.status === "rejected");
      if (refused) failed(refused.reason);
      const passed = results.filter((result) => result.status === "fulfilled").length;
      if (passed > 0) toastDone(done);
    });

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
          restart: (nodes) => forEach(nodes, restart.mutateAsync, t("restarting", { count: nodes.length })),
          maintain: (nodes, on) => forEach(nodes, (id) => maintenance.mutateAsync({ id, on }), t(on ? "maintenanceOn" : "maintenanceOff", { count: nodes.length })),
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
