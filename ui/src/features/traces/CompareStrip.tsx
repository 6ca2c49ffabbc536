import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { parse } from "@/shared/filter/parse";
import { formatCount, formatPercent } from "@/shared/lib/format";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { QueryBar } from "@/shared/ui/QueryBar";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { countable, type Comparison, loadComparison } from "./api";
import type { ListState } from "./listState";
import { withValue } from "./withValue";

/** In what a selection of rows differs from the rest: values by how far their shares lie apart. */
export function CompareStrip({ state, selection }: { state: ListState; selection: string }) {
  const project = useProject();
  const chosen = parse(selection);
  const asked = state.asked === null ? null : countable(state.asked).query;
  const usable = chosen.problems.length === 0 && chosen.conditions.length > 0;
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ["compare", project.id, asked, selection],
    enabled: asked !== null && usable,
    queryFn: ({ signal }) => loadComparison(project, asked!, chosen.conditions, signal),
  });
  return (
    <section aria-label="Compare" className="flex flex-col gap-2 border-b border-line bg-surface px-3 py-2">
      <div className="flex items-center gap-2">
        <h2 className="text-xs font-medium whitespace-nowrap">Compare</h2>
        <QueryBar label="Selection to compare with the rest" className="max-w-xl flex-1" value={selection} onCommit={(cmp) => state.update({ cmp: cmp || undefined })} placeholder="level:ERROR" />
        <span className="text-xs whitespace-nowrap text-text-2 max-sm:hidden">with the rest</span>
        <span className="flex-1" />
        <IconButton icon={X} label="Stop comparing" onClick={() => state.update({ cmp: undefined })} />
      </div>
      {error !== null && <ErrorState error={error} compact onRetry={() => void refetch()} />}
      {usable && isPending && error === null && <SkeletonRows rows={3} label="Comparing" />}
      {data !== undefined && <Differences data={data} textWith={(field, value) => withValue(state.q, field, value)} onPick={state.setQuery} />}
    </section>
  );
}

const shown = 12;

interface DifferencesProps {
  data: Comparison;
  /** The query with a condition on a value, where there is such a condition. */
  textWith: (field: string, value: string | null) => string | undefined;
  onPick: (text: string) => void;
}

function Differences({ data, textWith, onPick }: DifferencesProps) {
  const rest = data.rows - data.selected;
  if (data.selected === 0 || rest === 0) return <p className="text-xs text-text-2">{data.selected === 0 ? "No row meets the selection." : "Every row meets the selection: there is nothing to compare with."}</p>;
  const differences = data.fields
    .flatMap(({ field, values }) => values.map((one) => ({ field, ...one, text: textWith(field, one.value) })))
    .toSorted((a, b) => Math.abs(b.selectedShare - b.restShare) - Math.abs(a.selectedShare - a.restShare))
    .slice(0, shown);
  return (
    <>
      <p className="text-2xs text-text-3">
        {formatCount(data.selected)} selected, {formatCount(rest)} others{data.sampled && ", counted over the newest rows only"}. What differs most comes first; a press filters by it.
      </p>
      <ul className="grid gap-x-6 gap-y-1 max-sm:max-h-56 max-sm:overflow-y-auto sm:grid-cols-2 lg:grid-cols-3">
        {differences.map(({ field, value, selectedShare, restShare, text }) => (
          <li key={`${field}\0${value}`}>
            <button type="button" disabled={text === undefined} className="w-full rounded-sm px-1 py-0.5 text-left enabled:hover:bg-raised" onClick={() => text !== undefined && onPick(text)}>
              <span className="flex items-baseline gap-2 text-xs">
                <span className="min-w-0 flex-1 truncate"><span className="text-text-3">{field}</span> {value ?? "(none)"}</span>
                <span className="text-accent">{formatPercent(selectedShare)}</span>
                <span className="text-text-3">{formatPercent(restShare)}</span>
              </span>
              <Share value={selectedShare} className="bg-accent" />
              <Share value={restShare} className="bg-line-strong" />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Share({ value, className }: { value: number; className: string }) {
  return <span aria-hidden className="mt-0.5 block h-1 rounded-full bg-line"><span className={`block h-full rounded-full ${className}`} style={{ width: `${value * 100}%` }} /></span>;
}
