import { infiniteQueryOptions, keepPreviousData, type QueryKey } from "@tanstack/react-query";

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
export const listQuery = <Row>(
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
