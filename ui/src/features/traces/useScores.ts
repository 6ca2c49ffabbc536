import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useProject } from "@/shared/api/project";
import type { Rows } from "@/shared/table/rows";
import { type Observation, scoreKey } from "./api";
import type { ScoreMap, ScoreValue } from "./scores";
import { blocksOf } from "./usePreviews";

export interface Scores {
  /** Null: it has none; undefined: not known yet. */
  get: (row: Observation, name: string) => ScoreValue | null | undefined;
}

/** Scores of the rows in sight, for the columns that show some. Without such a column nothing is asked for. */
export function useScores(rows: Rows<Observation>, visible: { from: number; to: number }, names: readonly string[]): Scores {
  const project = useProject();
  const blocks = useMemo(() => (names.length === 0 ? [] : blocksOf(rows, visible)), [rows, visible, names]);
  const maps = useQueries({
    queries: blocks.map((block) => ({
      queryKey: ["scores", project.id, names, block.map(({ id }) => id)],
      staleTime: 60_000,
      queryFn: async ({ signal }: { signal: AbortSignal }) => (await import("./scores")).loadScores(project, block, names, signal),
    })),
    combine: useCallback((results: { data: ScoreMap | undefined; isPending: boolean }[]) => ({ found: results.flatMap(({ data }) => data ?? []), pending: results.some(({ isPending }) => isPending) }), []),
  });
  return useMemo(() => ({
    get: (row: Observation, name: string) => {
      const key = scoreKey(row, name);
      for (const map of maps.found) {
        const score = map.get(key);
        if (score !== undefined) return score;
      }
      return maps.pending ? undefined : null;
    },
  }), [maps]);
}
