import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useProject } from "@/shared/api/project";
import { rowAt, type Rows } from "@/shared/table/rows";
import { type ListQuery, loadPreviews, type Observation, type Preview } from "./api";

/** Rows of which more is asked for together. */
const blockSize = 50;

/** The beginnings of inputs and outputs of the rows in sight, and of traces the sums, by a second request, so that the list itself stays quick. */
export function usePreviews(rows: Rows<Observation>, visible: { from: number; to: number }, asked: ListQuery | null, ofTraces: boolean): { get: (row: Observation) => Preview | undefined } {
  const project = useProject();
  const blocks = useMemo(() => (asked === null ? [] : blocksOf(rows, visible).map((block) => block.map(({ id }) => id))), [rows, visible, asked]);
  const found = useQueries({
    queries: blocks.map((ids) => ({
      queryKey: ["previews", project.id, ofTraces, ids],
      staleTime: 60_000,
      queryFn: ({ signal }: { signal: AbortSignal }) => loadPreviews(project, ids, asked!, ofTraces, signal),
    })),
    combine: useCallback((results: { data: ReadonlyMap<string, Preview> | undefined; isError: boolean }[]) => ({ maps: results.map(({ data }) => data), failed: results.some(({ isError }) => isError) }), []),
  });
  return useMemo(() => ({ get: (row: Observation) => lookUp(row.id, found.maps, found.failed) }), [found]);
}

function lookUp(id: string, maps: readonly (ReadonlyMap<string, Preview> | undefined)[], failed: boolean): Preview | undefined {
  for (const map of maps) {
    const preview = map?.get(id);
    if (preview !== undefined) return preview;
  }
  return failed ? { id, input: null, output: null } : undefined;
}

/** The rows in sight, in blocks that begin at fixed places: scrolling on does not ask twice. */
export function blocksOf(rows: Rows<Observation>, { from, to }: { from: number; to: number }): Observation[][] {
  const blocks: Observation[][] = [];
  for (let start = Math.floor(from / blockSize) * blockSize; start <= to; start += blockSize) {
    const block: Observation[] = [];
    for (let index = start; index < start + blockSize; index++) {
      const row = rowAt(rows, index);
      if (row !== undefined) block.push(row);
    }
    if (block.length > 0) blocks.push(block);
  }
  return blocks;
}
