import type { Facets } from "./api";
import { FacetGroup } from "./FacetGroup";
import { facetFields, openAtFirst } from "./facetFields";
import type { ListState } from "./listState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SkeletonRows } from "@/shared/ui/Skeleton";

export interface FacetSidebarProps {
  state: ListState;
  facets: Facets | undefined;
  error: unknown;
  /** Somebody ended the reading. */
  stopped: boolean;
  onRetry: () => void;
  partial: boolean;
}

/** Columns and their most frequent values under the current query. It edits the same query as the bar above. */
export function FacetSidebar({ state, facets, error, stopped, onRetry, partial }: FacetSidebarProps) {
  if (facets === undefined && error !== null) return <ErrorState error={error} compact onRetry={onRetry} />;
  if (facets === undefined && state.asked === null) return <p className="p-3 text-xs text-text-3">Values appear once the query can be read.</p>;
  if (facets === undefined && stopped) return <p className="p-3 text-xs text-text-3">Values appear once the list is read again.</p>;
  if (facets === undefined) return <SkeletonRows rows={12} label="Loading filters" />;
  return (
    <>
      {(facets.sampled || partial) && (
        <p className="border-b border-line px-2 py-1.5 text-2xs text-text-3">
          {facets.sampled && "Counted over the newest rows only. "}
          {partial && "Counts leave out the search in inputs and outputs."}
        </p>
      )}
      {facetFields.map(({ field, title }) => (
        <FacetGroup key={field} state={state} field={field} title={title} values={facets.values[field] ?? []} openFirst={openAtFirst.includes(field)} />
      ))}
    </>
  );
}
