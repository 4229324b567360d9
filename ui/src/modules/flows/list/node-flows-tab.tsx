import { IconReplace, IconRoute2 } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { DataTable } from "@/components/table/data-table";
import { ReplaceNodeDialog } from "../acts/replace-node-dialog";
import { PlacesProvider } from "../editor/editor-context";
import { flowsQuery } from "../shared/api";
import { worstFirst } from "../shared/states";
import { FlowRow } from "./flow-row";
import { flowsCsvFields } from "./flows-csv";
import classes from "./list.module.css";
import { useFlowColumns } from "./use-flow-columns";
import { useFlowLoads } from "./use-flow-loads";

const file = { name: "flows-of-node", fields: flowsCsvFields };

/** The flows that have a node, by their draft or by what is installed; what needs work stands first. */
export default function NodeFlowsTab({ id }: { id: string }) {
  const { t } = useTranslation("flows");
  const list = useInfiniteQuery(flowsQuery({ node_id: id }));
  const flows = list.data?.pages.flatMap((page) => page.items).sort(worstFirst);
  const { loads, onDrawn } = useFlowLoads(flows ?? []);
  const columns = useFlowColumns(flows ?? [], loads);
  const closed = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const [replacing, setReplacing] = useState(false);
  if (!flows)
    return list.error ? (
      <ProblemView error={list.error} tried={t("list.failed")} onRetry={() => void list.refetch()} />
    ) : (
      <Skeleton rows={4} />
    );
  return (
    <PlacesProvider ids={flows.flatMap((flow) => flow.node_ids.slice(0, 2))}>
      <DataTable
        label={t("list.title")}
        rows={flows}
        total={list.data?.pages.at(-1)?.total ?? 0}
        columns={columns}
        onDrawn={onDrawn}
        rowId={(flow) => flow.id}
        rowName={(flow) => flow.name}
        file={file}
        rowHeight="two"
        phone={(flow) => <FlowRow flow={flow} />}
        onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
        loadingMore={list.isFetchingNextPage}
        empty={<EmptyState icon={IconRoute2} title={t("list.noneOnNode")} />}
      />
      {flows.length > 0 && (
        <div className={classes.below}>
          <Action icon={IconReplace} reason={closed} onClick={() => setReplacing(true)}>
            {t("replace.act")}
          </Action>
        </div>
      )}
      {replacing && <ReplaceNodeDialog node={id} onClose={() => setReplacing(false)} />}
    </PlacesProvider>
  );
}
