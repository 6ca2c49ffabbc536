import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { SessionActivity } from "@/shared/activity/api";
import type { Activity } from "@/shared/activity/useActivity";
import { useProject } from "@/shared/api/project";
import { rowAt, type Rows } from "@/shared/table/rows";
import { loadExtras, type SessionExtras } from "./api";

/** Sessions that are asked about together. */
const block = 50;

type Found = ReadonlyMap<string, SessionExtras>;

/** Environments and scores of the sessions in sight, by a second request, so that the list itself stays quick. */
export function useExtras({ pages: { rows }, visible, asked }: Activity<SessionActivity>, wanted: boolean): (id: string) => SessionExtras | null | undefined {
  const project = useProject();
  const blocks = useMemo(() => (wanted && asked !== null ? blocksOf(rows, visible) : []), [rows, visible, asked, wanted]);
  const range = { from: asked?.from ?? "", to: asked?.to ?? "" };
  const found = useQueries({
    queries: blocks.map((ids) => ({
      queryKey: ["session-extras", project.id, ids, range],
      staleTime: 60_000,
      queryFn: ({ signal }: { signal: AbortSignal }) => loadExtras(project, ids, range, signal),
    })),
    combine: useCallback((results: { data: Found | undefined; isError: boolean }[]) => ({ maps: results.map(({ data }) => data), failed: results.some(({ isError }) => isError) }), []),
  });
  return useCallback((id: string) => found.maps.find((map) => map?.has(id))?.get(id) ?? (found.failed ? null : undefined), [found]);
}

/** The ids of the rows in sight, in blocks that begin at fixed places: scrolling on does not ask twice. */
function blocksOf(rows: Rows<SessionActivity>, { from, to }: { from: number; to: number }): string[][] {
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
