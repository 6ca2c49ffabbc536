import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useProject } from "@/shared/api/project";
import { loadContent, loadFigures, loadScores, loadTurns, type TurnContent, type TurnFigures, turnsPerRead } from "./api";
import { blocksOf, type Turn, turnsOf, windowOf } from "./turns";

type Found<T> = ReadonlyMap<string, T>;
const combine = <T>(results: { data: Found<T> | undefined }[]) => results.map(({ data }) => data);
const find = <T>(maps: readonly (Found<T> | undefined)[], id: string) => maps.find((map) => map?.has(id))?.get(id);

/** The turns of a session and what they add up to. Of a long one the newest come first; `readMore` goes further back. */
export function useSession(sessionId: string) {
  const project = useProject();
  const [reads, setReads] = useState(1);
  const rows = useQuery({
    queryKey: ["session-turns", project.id, sessionId, reads],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => loadTurns(project, sessionId, reads, signal),
  });
  const scores = useQuery({
    queryKey: ["session-scores", project.id, sessionId],
    queryFn: ({ signal }) => loadScores(project, { sessionId }, signal),
  });
  const turns = useMemo(() => turnsOf(rows.data?.rows ?? []), [rows.data]);
  const parts = blocksOf(turns, turnsPerRead, 0, turns.length);
  const figures = useQueries({
    queries: parts.map(windowOf).map((range) => ({
      queryKey: ["session-figures", project.id, sessionId, range],
      queryFn: ({ signal }: { signal: AbortSignal }) => loadFigures(project, sessionId, range, signal),
    })),
    combine: combine<TurnFigures>,
  });
  return {
    rows, turns, scores: scores.data ?? [],
    figuresOf: useCallback((traceId: string) => find(figures, traceId), [figures]),
    readMore: useCallback(() => setReads((before) => before + 1), []),
  };
}

/** Turns whose content is asked for together. */
const block = 20;

/** The content of the turns in sight. */
export function useContent(turns: readonly Turn[], from: number, to: number): { get: (traceId: string) => TurnContent | undefined; error: unknown; retry: () => void } {
  const project = useProject();
  const results = useQueries({
    queries: blocksOf(turns, block, from, to).map((part) => ({
      queryKey: ["turn-content", project.id, part.map(({ traceId }) => traceId)],
      staleTime: 60_000,
      queryFn: ({ signal }: { signal: AbortSignal }) => loadContent(project, part, signal),
    })),
  });
  const failed = results.filter(({ error }) => error !== null);
  return {
    get: (traceId) => find(combine(results), traceId),
    error: failed[0]?.error ?? null,
    retry: () => failed.forEach(({ refetch }) => void refetch()),
  };
}
