import { useQuery } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { printCondition } from "@/shared/filter/print";
import { removeTerm } from "@/shared/filter/edit";
import { formatCount } from "@/shared/lib/format";
import { describeRange, widerRange } from "@/shared/lib/range";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { countable, loadEffects } from "./api";
import type { ListState } from "./listState";

/** Nothing matches: it says which condition takes everything away, and how to do without. */
export function EmptyResult({ state, onSetup }: { state: ListState; onSetup: () => void }) {
  const project = useProject();
  const asked = state.asked === null ? null : countable(state.asked).query;
  const effects = useQuery({
    queryKey: ["effects", project.id, asked],
    enabled: asked !== null && asked.conditions.length > 0,
    queryFn: ({ signal }) => loadEffects(project, asked!, signal),
  });
  const culprits = (effects.data?.without ?? []).flatMap((rows, index) => {
    const condition = asked?.conditions[index];
    const term = state.query.terms.findIndex((one) => one.condition === condition);
    return rows > 0 && condition !== undefined && term >= 0 ? [{ rows, term, text: printCondition(condition) }] : [];
  });
  const unfiltered = state.q === "";
  return (
    <EmptyState
      icon={SearchX}
      title={unfiltered ? "Nothing started in this time" : "No row meets the whole query"}
      actions={
        <>
          <Button onClick={() => state.setRange(widerRange(state.range))}>{describeRange(widerRange(state.range))}</Button>
          {!unfiltered && <Button variant="ghost" onClick={() => state.setQuery("")}>Clear the query</Button>}
          {unfiltered && <Button variant="ghost" onClick={onSetup}>Send the first trace</Button>}
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
      {state.query.search !== "" && (
        <p>
          Inputs and outputs are searched for <code className="font-mono text-xs text-text">{state.query.search}</code>.
        </p>
      )}
    </EmptyState>
  );
}
