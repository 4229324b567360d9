import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import type { ViewState } from "@/components/state/states";
import { toastDone, toastFailed, toastProblem } from "@/components/state/toast";
import { useSearchState } from "@/components/screen/use-search";
import { everyNode, nodesQuery, useBulk, type BulkRequest } from "../shared/api";
import { summaryQuery } from "../shared/fleet";
import { NodeActDialog, type AskedAct } from "../acts/node-act-dialog";
import { bulkFailures } from "./bulk-failures";
import { DeleteNodeDialog } from "../shared/delete-node-dialog";
import { bySeverity } from "../shared/node-status";
import { saveNodesCsv } from "./nodes-csv";
import { nodesFilter, type NodesFilter } from "./nodes-filter";
import type { NodesData } from "./nodes-data";
import { NodesView } from "./nodes-view";
import type { Start } from "@/module";
import type { Language } from "@/text/format";
import { useLanguage } from "@/text/use-format";
import type { Node } from "../shared/types";

const listQuery = (filter: NodesFilter) => nodesQuery({ ...filter, sort: filter.sort ?? "state" });

/** The first rows, and the sums over the fleet. */
export async function ahead({ queries, search }: Start): Promise<unknown> {
  const filter = nodesFilter.safeParse(search).data ?? {};
  return Promise.all([queries.prefetchInfiniteQuery(listQuery(filter)), queries.prefetchQuery(summaryQuery)]);
}

export default function NodesPage() {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const [filter, setFilter] = useSearchState(nodesFilter);
  const list = useInfiniteQuery(listQuery(filter));
  const summary = useQuery(summaryQuery).data;
  const block = useWriteBlock({ needs: "nodes.edit" });
  const [deleting, setDeleting] = useState<Node>();
  const [asked, setAsked] = useState<{ act: AskedAct; nodes: Node[] }>();
  const many = useBulk();
  const queries = useQueryClient();
  const [saving, setSaving] = useState(false);
  const failed = (error: unknown) => toastProblem(t("failed"), error);

  const state = useMemo((): ViewState<NodesData> => {
    if (list.data) return { kind: "ready", data: nodesData(list.data.pages, !filter.sort, language) };
    if (list.error) return { kind: "error", error: list.error, retry: () => void list.refetch() };
    return { kind: "loading" };
  }, [list, filter.sort, language]);

  const bulk = (nodes: Node[], request: BulkRequest) => {
    if (request.act !== "tags") return setAsked({ act: request.act, nodes });
    many.mutate(
      { ids: nodes.map((node) => node.id), ...request },
      {
        onError: failed,
        onSuccess: (results) => {
          const passed = results.filter((result) => result.ok).length;
          if (passed === results.length) return toastDone(t("bulk.tags", { count: passed }));
          toastFailed(t("bulk.failed", { count: results.length - passed }), bulkFailures(results, nodes));
        },
      },
    );
  };
  const ofRow = useMemo(
    () => ({
      restart: (node: Node) => setAsked({ act: "restart_core", nodes: [node] }),
      maintain: (node: Node, on: boolean) =>
        setAsked({ act: on ? "maintenance_on" : "maintenance_off", nodes: [node] }),
      remove: setDeleting,
    }),
    [],
  );

  const saveCsv = () => {
    setSaving(true);
    everyNode(queries, filter)
      .then(saveNodesCsv)
      .catch(failed)
      .finally(() => setSaving(false));
  };

  return (
    <>
      <NodesView
        state={state}
        filter={filter}
        onFilter={setFilter}
        summary={summary}
        block={block}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
        csv={{ save: saveCsv, busy: saving }}
        acts={{ ...ofRow, bulk }}
      />
      {asked && <NodeActDialog {...asked} onClose={() => setAsked(undefined)} />}
      <DeleteNodeDialog
        node={deleting}
        onClose={() => setDeleting(undefined)}
        onDeleted={() => setDeleting(undefined)}
      />
    </>
  );
}

function nodesData(pages: { items: Node[]; total: number }[], worstFirst: boolean, language: Language): NodesData {
  const rows = pages.flatMap((page) => page.items);
  return { rows: worstFirst ? [...rows].sort(bySeverity(language)) : rows, total: pages.at(-1)?.total ?? 0 };
}
