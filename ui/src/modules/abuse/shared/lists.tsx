import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryKey,
  type UseInfiniteQueryResult,
} from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { DataTable, type DataTableProps } from "@/components/table/data-table";

/** The rows that were read so far, and how many there are. */
export interface Read<Row> {
  items: Row[];
  total: number;
}

/** One page, as the panel answers. */
export interface Page<Row> extends Read<Row> {
  next_cursor: string | null;
}

/** What every page of a list is asked with. */
export interface PageQuery {
  limit: number;
  cursor?: string;
}

const pageSize = 50;

/** A list of the panel that is read page by page. */
export const listQuery = <Row,>(
  queryKey: QueryKey,
  read: (page: PageQuery, signal: AbortSignal) => Promise<Page<Row>>,
  refetchInterval: number | false = false,
) =>
  infiniteQueryOptions({
    queryKey,
    refetchInterval,
    queryFn: ({ pageParam, signal }) =>
      read({ limit: pageSize, ...(pageParam !== "" && { cursor: pageParam }) }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: ({ pages }): Read<Row> => ({
      items: pages.flatMap((page) => page.items),
      total: pages.at(-1)?.total ?? 0,
    }),
    placeholderData: keepPreviousData,
  });

type Table<Row> = Omit<DataTableProps<Row>, "rows" | "total" | "onMore" | "loadingMore" | "look" | "bar"> &
  Partial<Pick<DataTableProps<Row>, "look" | "bar">>;

/** A table of a list in each of its states: being read, refused, and read as far as it is. */
export function Listing<Row extends object>({
  list,
  ...table
}: Table<Row> & { list: UseInfiniteQueryResult<Read<Row>> }) {
  const { t } = useTranslation("abuse");
  const state = viewState(list);
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
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
