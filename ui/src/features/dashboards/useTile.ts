import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useProject } from "@/shared/api/project";
import { bucketsOf, granularityOf } from "@/shared/lib/buckets";
import { loadRows } from "./api";
import { askedOf, isOverTime, type Scope, type Tile, type TileQuery } from "./model";

/** What a tile shows for a time. Its buckets come along, so that a chart never mixes two ranges; the last answer stays until the next has arrived. */
export function useTile(tile: Tile, query: TileQuery, scope: Scope) {
  const project = useProject();
  const asked = askedOf(tile, query, scope);
  const granularity = granularityOf(scope.from, scope.to);
  return useQuery({
    queryKey: ["tile", project.id, JSON.stringify(asked)], placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => ({ rows: await loadRows(project, asked, signal), times: isOverTime(tile.kind) ? bucketsOf(scope.from, scope.to, granularity) : [], scope }),
  });
}

export type TileAnswer = NonNullable<ReturnType<typeof useTile>["data"]>;
