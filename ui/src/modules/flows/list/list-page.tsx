import { useDebouncedCallback } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useWriteBlock } from "@/api/access";
import { useSearchState } from "@/components/screen/use-search";
import { flowsQuery, type Flow } from "../shared/api";
import { CreateFlow } from "./create-flow";
import { DeleteFlow } from "./delete-flow";
import { flowListSearch, sorted, viewFilters } from "./list-search";
import { ListView } from "./list-view";

/** All flows: the filter is in the address, what needs work is counted. */
export default function FlowListPage() {
  const [filter, setFilter] = useSearchState(flowListSearch);
  const query = useInfiniteQuery(flowsQuery({ ...(filter.q && { q: filter.q }) }));
  const closed = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const deleteClosed = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const [deleting, setDeleting] = useState<Flow>();
  const setText = useDebouncedCallback((q: string) => setFilter({ q }), 200);
  const flows = query.data?.pages.flatMap((page) => page.items);
  return (
    <>
      <ListView
        state={
          flows
            ? { kind: "ready", data: sorted(flows.filter(viewFilters[filter.view]), filter.sort) }
            : query.error
              ? { kind: "error", error: query.error, retry: () => void query.refetch() }
              : { kind: "loading" }
        }
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
