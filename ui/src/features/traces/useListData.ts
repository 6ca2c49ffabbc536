import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useProject } from "@/shared/api/project";
import { one } from "@/shared/lib/search";
import { useRowPages } from "@/shared/table/useRowPages";
import { countable, loadFacets, loadHistogram, loadRows } from "./api";
import { facetFields } from "./facetFields";
import type { ListState } from "./listState";
import { usePreviews } from "./usePreviews";
import { useScores } from "./useScores";

const chartOf = (state: ListState): "count" | "latency" => (one(state.search, "chart") === "latency" ? "latency" : "count");

/** Everything a list asks the server for: rows, facets, histogram and previews, one request each. */
export function useListData(state: ListState, fields: string, { facets: withFacets, previews: withPreviews, traces: ofTraces, scores: scoreNames }: { facets: boolean; previews: boolean; traces: boolean; scores: readonly string[] }) {
  const project = useProject();
  const { asked, requestId } = state;
  const measure = chartOf(state);
  const [visible, setVisible] = useState({ from: 0, to: 0 });
  const pages = useRowPages(["rows", project.id, asked, fields], asked !== null, (cursor, signal) => loadRows(project, asked!, fields, cursor, { signal, requestId }));
  const counted = asked === null ? null : countable(asked);
  const histogram = useQuery({
    queryKey: ["histogram", project.id, measure, counted?.query],
    enabled: counted !== null, placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => loadHistogram(project, counted!.query, measure, { signal, requestId }),
  });
  const facets = useQuery({
    queryKey: ["facets", project.id, counted?.query],
    enabled: counted !== null && withFacets, placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => loadFacets(project, counted!.query, facetFields.map(({ field }) => field), 20, { signal, requestId }),
  });
  const previews = usePreviews(pages.rows, visible, withPreviews ? asked : null, ofTraces);
  const scores = useScores(pages.rows, visible, scoreNames);
  const { look } = pages;
  const onVisible = useCallback(
    (from: number, to: number) => {
      setVisible((before) => (before.from === from && before.to === to ? before : { from, to }));
      look(from, to);
    },
    [look],
  );
  // A heat map leaves out what has not ended, and so does not know how many rows there are.
  const byTime = histogram.data?.measure === "count" && !histogram.isPlaceholderData ? histogram.data : undefined;
  const counts = byTime ?? (facets.isPlaceholderData ? undefined : facets.data);
  const exact = counted?.whole === true && counts !== undefined && !counts.sampled;
  return { pages, histogram, facets, previews, scores, onVisible, partial: counted?.whole === false, total: exact ? counts.rows : undefined, measure };
}
