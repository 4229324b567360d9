import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { DataTable, type DataTableProps } from "./data-table";
import type { Read } from "./list-query";

type Table<Row> = Omit<DataTableProps<Row>, "rows" | "total" | "onMore" | "loadingMore">;

export interface ListingProps<Row> extends Table<Row> {
  list: UseInfiniteQueryResult<Read<Row>>;
  /** What was tried, in words, where the list cannot be read. */
  tried: string;
}

/** A table of a list in each of its states: being read, refused, and read as far as it is. */
export function Listing<Row extends object>({ list, tried, ...table }: ListingProps<Row>) {
  const state = viewState(list);
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={tried} />;
  return (
    <DataTable
      {...table}
      rows={state.data.items}
      total={state.data.total}
      onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
      loadingMore={list.isFetchingNextPage}
    />
  );
}
