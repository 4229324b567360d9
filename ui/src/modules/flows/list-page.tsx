import { useDebouncedCallback } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { z } from "zod";
import { useWriteBlock } from "@/api/access";
import { useSearchState } from "@/components/use-search";
import { flowsQuery, type Flow } from "./api";
import { CreateFlow } from "./create-flow";
import { DeleteFlow } from "./delete-flow";
import { ListView } from "./list-view";
import { needsWork } from "./states";

const search = z.object({
  q: z.string().catch(""),
  view: z.enum(["all", "config", "health", "bypassed"]).catch("all"),
  sort: z.enum(["name", "-name", "installed_at", "-installed_at"]).catch("name"),
  create: z.enum(["blank", "single", "pair", "shadowsocks"]).optional().catch(undefined),
});

export type FlowListSearch = z.output<typeof search>;

/** All flows: the filter is in the address, what needs work is counted. */
export default function FlowListPage() {
  const [filter, setFilter] = useSearchState(search);
  const query = useInfiniteQuery(flowsQuery({ ...(filter.q && { q: filter.q }) }));
  const closed = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const deleteClosed = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const [deleting, setDeleting] = useState<Flow>();
  const setText = useDebouncedCallback((q: string) => setFilter({ q }), 200);
  const flows = query.data?.pages.flatMap((page) => page.items);
  return (
    <>
      <ListView
        state={flows ? { kind: "ready", data: sorted(flows.filter(viewFilters[filter.view]), filter.sort) } : query.error ? { kind: "error", error: query.error, retry: () => void query.refetch() } : { kind: "loading" }}
        all={flows ?? []}
        total={query.data?.pages[0]?.total ?? 0}
        filter={filter}
        closed={closed}
        deleteClosed={deleteClosed}
        onFilter={(change) => (change.q === undefined ? setFilter(change) : setText(change.q))}
        onClear={() => setFilter({ q: undefined, view: undefined })}
        onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
        loadingMore={query.isFetchingNextPage}
        onDelete={setDeleting}
      />
      {filter.create && <CreateFlow start={filter.create} onClose={() => setFilter({ create: undefined })} />}
      {deleting && <DeleteFlow flow={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

export const viewFilters: Record<FlowListSearch["view"], (flow: Flow) => boolean> = {
  all: () => true,
  config: (flow) => needsWork(flow, "config"),
  health: (flow) => needsWork(flow, "health"),
  bypassed: (flow) => flow.bypassed_checks.length > 0,
};

function sorted(flows: Flow[], sort: FlowListSearch["sort"]): Flow[] {
  const sign = sort.startsWith("-") ? -1 : 1;
  const key = sort.replace("-", "") as "name" | "installed_at";
  return [...flows].sort((a, b) => sign * (a[key] ?? "").localeCompare(b[key] ?? ""));
}

