import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { flowsQuery, type FlowFilter } from "../shared/api";

/** Counts and order are of all flows, so they are read on to here; a panel with more says how many are shown. */
const most = 2_000;

export function useAllFlows(filter: FlowFilter) {
  const query = useInfiniteQuery(flowsQuery(filter));
  const flows = query.data?.pages.flatMap((page) => page.items);
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const goesOn = hasNextPage && !isFetching && (flows?.length ?? 0) < most;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  return { query, flows, total: query.data?.pages.at(-1)?.total ?? 0 };
}
