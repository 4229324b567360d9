import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { useSearchState } from "@/components/screen/use-search";
import { toastProblem } from "@/components/state/toast";
import { ChangeTargetDialog } from "../acts/change-target-dialog";
import { FlowActDialog } from "../acts/flow-act-dialog";
import type { FlowAct } from "../acts/flow-effects";
import { PlacesProvider } from "../editor/editor-context";
import { everyFlow, type Flow } from "../shared/api";
import { CloneFlow } from "./clone-flow";
import { CreateFlow } from "./create-flow";
import { saveFlowsCsv } from "./flows-csv";
import { flowListSearch, shownFlows } from "./list-search";
import { ListView } from "./list-view";
import { useAllFlows } from "./use-all-flows";

/** The nodes of more flows than this are not asked for one by one. */
const namedFlows = 100;

/** All flows: filters and order are in the address, what needs work is counted. */
export default function FlowListPage() {
  const { t } = useTranslation("flows");
  const [filter, setFilter] = useSearchState(flowListSearch);
  const asked = { ...(filter.q && { q: filter.q }), ...(filter.tag && { tag: filter.tag }) };
  const { query, flows, total } = useAllFlows(asked);
  const closed = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const actClosed = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const [acting, setActing] = useState<{ act: FlowAct; flows: Flow[] }>();
  const [retargeting, setRetargeting] = useState<Flow[]>();
  const [cloning, setCloning] = useState<Flow>();
  const [saving, setSaving] = useState(false);
  const saveCsv = () => {
    setSaving(true);
    everyFlow(asked)
      .then((all) => saveFlowsCsv(shownFlows(all, filter)))
      .catch((error: unknown) => toastProblem(t("list.csvFailed"), error))
      .finally(() => setSaving(false));
  };
  const nodeIds = (flows ?? [])
    .slice(0, namedFlows)
    .flatMap((flow) => [...flow.node_ids.slice(0, 2), ...flow.drift.node_ids.slice(0, 1)]);
  return (
    <PlacesProvider ids={nodeIds}>
      <ListView
        state={
          flows
            ? { kind: "ready", data: shownFlows(flows, filter) }
            : query.error
              ? { kind: "error", error: query.error, retry: () => void query.refetch() }
              : { kind: "loading" }
        }
        all={flows ?? []}
        total={total}
        filter={filter}
        closed={closed}
        actClosed={actClosed}
        onFilter={setFilter}
        onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
        loadingMore={query.isFetchingNextPage}
        csv={{ save: saveCsv, busy: saving }}
        onAct={(act, chosen) => setActing({ act, flows: chosen })}
        onRetarget={setRetargeting}
        onClone={setCloning}
      />
      {filter.create && <CreateFlow start={filter.create} onClose={() => setFilter({ create: undefined })} />}
      {cloning && <CloneFlow flow={cloning} onClose={() => setCloning(undefined)} />}
      {retargeting && <ChangeTargetDialog flows={retargeting} onClose={() => setRetargeting(undefined)} />}
      {acting && <FlowActDialog {...acting} onClose={() => setActing(undefined)} />}
    </PlacesProvider>
  );
}
