import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { fetchRaw } from "@/shared/api/client";
import { isEmptyFind, parseFind } from "@/shared/trace/find";
import type { Marks } from "@/shared/trace/folds";
import type { LoadedTrace } from "@/shared/trace/loadTrace";
import { match } from "@/shared/trace/match";
import type { TraceSource } from "@/shared/trace/source";

export interface FindResult {
  /** Undefined while nothing is looked for. */
  marks: Marks | undefined;
  hits: number;
  problems: string[];
  /** The server is still looking through inputs and outputs. */
  searching: boolean;
  /** It found more than it names. */
  truncated: boolean;
  /** It could not look; names were looked through nevertheless. */
  error: unknown;
}

interface Hits {
  data: string[];
  truncated: boolean;
}

const shortestWord = 2;

/** Looks for what is typed: in the columns that are here at once, in inputs and outputs by the server, which does so for people who
 * have signed in only. settled is the text once typing rests. */
export function useFind({ projectId, shared }: TraceSource, loaded: LoadedTrace, text: string, settled: string): FindResult {
  const { rows, length } = loaded;
  const find = useMemo(() => parseFind(text), [text]);
  const words = useMemo(() => parseFind(settled).words.join(" "), [settled]);
  const server = useQuery({
    queryKey: ["trace-search", projectId, rows.head.id, words],
    enabled: !shared && words.length >= shortestWord,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const path = `/api/public/traces/${encodeURIComponent(rows.head.id)}/search?q=${encodeURIComponent(words)}`;
      return (await (await fetchRaw(projectId, path, { signal })).json()) as Hits;
    },
  });
  const ids = find.words.join(" ") === words && !server.isPlaceholderData ? server.data?.data : undefined;
  const found = useMemo(() => (isEmptyFind(find) ? null : match(rows, find, ids, length)), [rows, find, ids, length]);
  return {
    marks: found?.marks,
    hits: found?.hits ?? 0,
    problems: find.problems,
    searching: server.isFetching,
    truncated: ids !== undefined && server.data?.truncated === true,
    error: server.error,
  };
}
