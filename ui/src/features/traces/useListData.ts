import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useProject } from "@/shared/api/project";
import { useRowPages } from "@/shared/table/useRowPages";
import { countable, loadFacets, loadHistogram, loadRows } from "./api";
import { facetFields } from "./facetFields";
import type { ListState } from "./listState";
import { usePreviews } from "./usePreviews";

/** Everything a list asks the server for: rows, facets, histogram and previews, one request each. */
export function useListData(state: ListState, fields: string, { facets: withFacets, previews: withPreviews }: { facets: boolean; previews: boolean }) {
  const project = useProject();
  const { asked } = state;
  const [visible, setVisible] = useState({ from: 0, to: 0 });
  const pages = useRowPages(["rows", project.id, asked, fields], asked !== null, (cursor, signal) => loadRows(project, asked!, fields, cursor, signal));
  const counted = asked === null ? null : countable(asked);
  const histogram = useQuery({
    queryKey: ["histogram", project.id, counted?.query],
    enabled: counted !== null, placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => loadHistogram(project, counted!.query, signal),
  });
  const facets = useQuery({
    queryKey: ["facets", project.id, counted?.query],
    enabled: counted !== null && withFacets, placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => loadFacets(project, counted!.query, facetFields.map(({ field }) => field), 20, signal),
  });
  const previews = usePreviews(pages.rows, visible, withPreviews ? asked : null);
  const { look } = pages;
  const onVisible = useCallback(
    (from: number, to: number) => {
      setVisible((before) => (before.from === from && before.to === to ? before : { from, to }));
      look(from, to);
    },
    [look],
  );
  const counts = histogram.data ?? facets.data;
  const exact = counted?.whole === true && counts !== undefined && !counts.sampled && !histogram.isPlaceholderData;
  return { pages, histogram, facets, previews, onVisible, partial: counted?.whole === false, total: exact ? counts.rows : undefined };
}
