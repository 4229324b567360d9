import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ViewState } from "@/components/state/states";

export interface Page<Row> {
  items: Row[];
  next_cursor: string | null;
  total: number;
}

export interface Listed<Row> {
  rows: Row[];
  total: number;
  /** Reads the next page; undefined on the last one. */
  more: (() => void) | undefined;
  reading: boolean;
}

/** The pages that were read so far, as one list. */
export function listState<Row>(query: UseInfiniteQueryResult<InfiniteData<Page<Row>>>): ViewState<Listed<Row>> {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  if (data) {
    const rows = data.pages.flatMap(({ items }) => items);
    const more = hasNextPage ? () => void fetchNextPage() : undefined;
    return {
      kind: "ready",
      data: { rows, total: data.pages.at(-1)?.total ?? rows.length, more, reading: isFetchingNextPage },
    };
  }
  if (error) return { kind: "error", error, retry: () => void refetch() };
  return { kind: "loading" };
}
