import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useProject } from "@/shared/api/project";
import { rowAt, type Rows } from "@/shared/table/rows";
import { type ListQuery, loadPreviews, type Observation, type Preview } from "./api";

/** Rows whose previews are asked for together. */
const block = 50;

/** The beginnings of inputs and outputs of the rows in sight, by a second request, so that the list itself stays quick. */
export function usePreviews(rows: Rows<Observation>, visible: { from: number; to: number }, asked: ListQuery | null): { get: (row: Observation) => Preview | undefined } {
  const project = useProject();
  const blocks = useMemo(() => (asked === null ? [] : blocksOf(rows, visible)), [rows, visible, asked]);
  const found = useQueries({
    queries: blocks.map((ids) => ({
      queryKey: ["previews", project.id, ids],
      staleTime: 60_000,
      queryFn: ({ signal }: { signal: AbortSignal }) => loadPreviews(project, ids, asked!, signal),
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

/** The ids of the rows in sight, in blocks that begin at fixed places: scrolling on does not ask twice. */
function blocksOf(rows: Rows<Observation>, { from, to }: { from: number; to: number }): string[][] {
  const blocks: string[][] = [];
  for (let start = Math.floor(from / block) * block; start <= to; start += block) {
    const ids: string[] = [];
    for (let index = start; index < start + block; index++) {
      const row = rowAt(rows, index);
      if (row !== undefined) ids.push(row.id);
    }
    if (ids.length > 0) blocks.push(ids);
  }
  return blocks;
}
