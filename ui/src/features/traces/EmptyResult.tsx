import { useQuery } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { printCondition } from "@/shared/filter/print";
import { removeTerm } from "@/shared/filter/edit";
import { formatCount } from "@/shared/lib/format";
import { describeRange, rangeWith, widerRange } from "@/shared/lib/range";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { countable, loadFilterCounts } from "./api";
import type { ListState } from "./listState";

/** Nothing matches: it says which condition takes everything away, and how to do without. */
export function EmptyResult({ state, onSetup }: { state: ListState; onSetup: () => void }) {
  const project = useProject();
  const asked = state.asked === null ? null : countable(state.asked).query;
  const { data } = useQuery({
    queryKey: ["filter-counts", project.id, asked],
    enabled: asked !== null,
    queryFn: ({ signal }) => loadFilterCounts(project, asked!, signal),
  });
  const culprits = (data?.conditions ?? []).flatMap(({ index, countWithout }) => {
    const condition = index === null ? undefined : asked?.conditions[index];
    const term = state.query.terms.findIndex((one) => one.condition === condition);
    return countWithout > 0 && condition !== undefined && term >= 0 ? [{ rows: countWithout, term, text: printCondition(condition) }] : [];
  });
  const unfiltered = state.q === "";
  const nothingYet = unfiltered && data !== undefined && data.newestOutside === null;
  return (
    <EmptyState
      icon={SearchX}
      title={nothingYet ? `No ${state.table} yet` : unfiltered ? "Nothing started in this time" : "No row meets the whole query"}
      actions={
        <>
          {!nothingYet && <Button onClick={() => state.setRange(widerRange(state.range))}>{describeRange(widerRange(state.range))}</Button>}
          {!unfiltered && <Button variant="ghost" onClick={() => state.setQuery("")}>Clear the query</Button>}
          {unfiltered && <Button variant={nothingYet ? "primary" : "ghost"} onClick={onSetup}>Send the first trace</Button>}
        </>
      }
    >
      {culprits.length > 0 && (
        <ul className="flex flex-col gap-1">
          {culprits.map(({ rows, term, text }) => (
            <li key={term}>
              Without <code className="font-mono text-xs break-all text-text">{text}</code> there are {formatCount(rows)}.{" "}
              <button type="button" className="min-h-6 text-accent hover:underline" onClick={() => state.setQuery(removeTerm(state.q, term))}>Remove it</button>
            </li>
          ))}
        </ul>
      )}
      {data?.newestOutside && (
        <p>
          The newest one started <AbsoluteTime value={data.newestOutside} />.{" "}
          <button type="button" className="min-h-6 text-accent hover:underline" onClick={() => state.setRange(rangeWith(state.range, state.now, data.newestOutside!))}>Show that time</button>
        </p>
      )}
      {state.query.search !== "" && (
        <p>
          Inputs and outputs are searched for <code className="font-mono text-xs text-text">{state.query.search}</code>.
        </p>
      )}
    </EmptyState>
  );
}
