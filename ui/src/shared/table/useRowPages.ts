import { type InfiniteData, keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { Rows } from "./rows";

/** Rows of one fetch, and how many of them stay in memory: 2,000 rows. */
export const pageSize = 100;
const maxPages = 20;

interface PageParam {
  /** The cursors of the pages up to this one; the first page has none. */
  cursors: readonly string[];
}

export interface Page<Row> {
  list: Row[];
  cursor: string | null;
  /** How many rows there are in all, where the server counts them. */
  total?: number;
  /** The answer is approximate: rows before this time were not read. */
  since?: string;
}

export interface RowPages<Row> {
  rows: Rows<Row>;
  /** The first page in memory, for what the server says of all rows. */
  head: Page<Row> | undefined;
  /** Nothing has arrived yet. */
  pending: boolean;
  /** Something is on its way. */
  busy: boolean;
  /** Rows are those of the last question, while the answer to this one is on its way. */
  stale: boolean;
  /** Somebody ended the reading before anything came. */
  stopped: boolean;
  error: unknown;
  retry: () => void;
  /** Tells which places are in sight, so that pages before and behind are there in time. */
  look: (from: number, to: number) => void;
}

/** Walks a list by cursors, forwards and back. Pages far from what is looked at are let go and asked for again. A page has as many rows
 * as load asks for. */
export function useRowPages<Row>(queryKey: readonly unknown[], enabled: boolean, load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>, size = pageSize): RowPages<Row> {
  const query = useInfiniteQuery<Page<Row>, unknown, InfiniteData<Page<Row>, PageParam>, readonly unknown[], PageParam>({
    queryKey,
    enabled,
    staleTime: Number.POSITIVE_INFINITY, // the key names the moment; a refresh is another key
    maxPages,
    placeholderData: keepPreviousData,
    initialPageParam: { cursors: [] },
    queryFn: ({ pageParam, signal }) => load(pageParam.cursors.at(-1), signal),
    getNextPageParam: (page, _, { cursors }) => (page.cursor === null ? undefined : { cursors: [...cursors, page.cursor] }),
    getPreviousPageParam: (_, __, { cursors }) => (cursors.length === 0 ? undefined : { cursors: cursors.slice(0, -1) }),
  });
  const { data, hasNextPage, isFetching, fetchNextPage, fetchPreviousPage, refetch } = query;
  const rows = useMemo(() => rowsOf(data, hasNextPage, size), [data, hasNextPage, size]);
  const look = useCallback(
    (from: number, to: number) => {
      if (isFetching) return;
      if (from < rows.first) void fetchPreviousPage();
      else if (rows.more && to > rows.first + rows.list.length - 30) void fetchNextPage();
    },
    [rows, isFetching, fetchNextPage, fetchPreviousPage],
  );
  const retry = useCallback(() => void refetch(), [refetch]);
  const stopped = enabled && query.fetchStatus === "idle" && query.error === null && (query.isPending || query.isPlaceholderData);
  return { rows, head: data?.pages[0], pending: query.isPending, busy: isFetching, stale: query.isPlaceholderData, stopped, error: query.error, retry, look };
}

function rowsOf<Row>(data: InfiniteData<Page<Row>, PageParam> | undefined, more: boolean, size: number): Rows<Row> {
  if (data === undefined) return { first: 0, list: [], more: false };
  return { first: (data.pageParams[0]?.cursors.length ?? 0) * size, list: data.pages.flatMap(({ list }) => list), more };
}
