import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { treat } from "@/shared/filter/edit";
import { parse } from "@/shared/filter/parse";
import { formatCount, formatPercent } from "@/shared/lib/format";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { QueryBar } from "@/shared/ui/QueryBar";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { countable, type Comparison, loadComparison } from "./api";
import type { ListState } from "./listState";

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
      {data !== undefined && <Differences data={data} onPick={(field, value) => state.setQuery(treat(state.q, field, value, "include"))} />}
    </section>
  );
}

interface Difference {
  field: string;
  value: string | null;
  selected: number;
  rest: number;
}

const shown = 12;

function Differences({ data, onPick }: { data: Comparison; onPick: (field: string, value: string | null) => void }) {
  if (data.selected === 0 || data.rest === 0) return <p className="text-xs text-text-2">{data.selected === 0 ? "No row meets the selection." : "Every row meets the selection: there is nothing to compare with."}</p>;
  const differences: Difference[] = data.fields
    .flatMap(({ field, values }) => values.map(({ value, selected, rest }) => ({ field, value, selected: selected / data.selected, rest: rest / data.rest })))
    .toSorted((a, b) => Math.abs(b.selected - b.rest) - Math.abs(a.selected - a.rest))
    .slice(0, shown);
  return (
    <>
      <p className="text-2xs text-text-3">
        {formatCount(data.selected)} selected, {formatCount(data.rest)} others{data.sampled && ", counted over the newest rows only"}. What differs most comes first.
      </p>
      <ul className="grid gap-x-6 gap-y-1 sm:grid-cols-2 lg:grid-cols-3">
        {differences.map((difference) => (
          <li key={`${difference.field}\0${difference.value}`}>
            <button type="button" className="w-full rounded-sm px-1 py-0.5 text-left hover:bg-raised" onClick={() => onPick(difference.field, difference.value)}>
              <span className="flex items-baseline gap-2 text-xs"><span className="min-w-0 flex-1 truncate"><span className="text-text-3">{difference.field}</span> {difference.value ?? "(none)"}</span>
                <span className="text-accent">{formatPercent(difference.selected)}</span><span className="text-text-3">{formatPercent(difference.rest)}</span></span>
              <Share value={difference.selected} className="bg-accent" />
              <Share value={difference.rest} className="bg-line-strong" />
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
