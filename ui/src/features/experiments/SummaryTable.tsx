import { ArrowDownNarrowWide, ArrowUpNarrowWide, Filter } from "lucide-react";
import { formatNumberOf } from "@/shared/lib/format";
import { Badge } from "@/shared/ui/Badge";
import { IconButton } from "@/shared/ui/IconButton";
import type { ComparedFigure, FigureChange } from "./api";
import { deltaText, figureKey, figureText, figureTitle, type Side } from "./model";
import { SideMark } from "./SideMark";
import type { Results } from "./useResults";

/** For each figure what every run says of it, and in a sentence whether the difference to the baseline is more than chance. */
export function SummaryTable({ figures, results }: { figures: readonly ComparedFigure[]; results: Results }) {
  const { sides } = results;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
    <section className="overflow-x-auto" tabIndex={0} aria-label="Summary">
      <table className="w-full text-xs">
        <thead>
          <tr className="border-b border-line text-left text-text-2">
            <th scope="col" className="px-3 py-1.5 font-medium">Figure</th>
            {sides.map((side) => (
              <th key={side.id} scope="col" className="min-w-44 px-3 py-1.5 font-medium max-sm:min-w-36" title={side.name}><SideMark side={side} /> <span className="sr-only">{side.name}</span></th>
            ))}
          </tr>
        </thead>
        <tbody>{figures.map((figure) => <FigureRow key={figureKey(figure)} figure={figure} sides={sides} results={results} />)}</tbody>
      </table>
    </section>
  );
}

function FigureRow({ figure, sides, results }: { figure: ComparedFigure; sides: readonly Side[]; results: Results }) {
  const turnable = figure.kind === "score" && figure.dataType !== "CATEGORICAL";
  const turn = () => results.setLower(figure.lowerIsBetter ? results.lower.filter((name) => name !== figure.name) : [...results.lower, figure.name]);
  return (
    <tr className="border-b border-line align-top last:border-0">
      <th scope="row" className="px-3 py-2 text-left font-medium">
        <span className="flex items-center gap-1">
          <span className="max-w-48 truncate" title={figure.name}>{figureTitle(figure)}</span>
          {turnable && (
            <IconButton
              icon={figure.lowerIsBetter ? ArrowDownNarrowWide : ArrowUpNarrowWide} aria-pressed={figure.lowerIsBetter} onClick={turn} className="size-6 pointer-coarse:size-11"
              label={figure.lowerIsBetter ? `Less of ${figure.name} is better; press for more` : `More of ${figure.name} is better; press for less`}
            />
          )}
        </span>
      </th>
      {sides.map((side) => {
        const own = figure.experiments.find(({ experimentId }) => experimentId === side.id);
        return (
          <td key={side.id} className="max-w-96 px-3 py-2">
            {own === undefined ? <span className="text-text-3">No value</span> : (
              <>
                <span className="font-medium">{own.mean === null ? own.values.map(({ value, count }) => `${value} ${count}`).join(", ") : figureText(figure, own.mean)}</span>
                <span className="ml-1.5 text-2xs text-text-3">{formatNumberOf(own.count, "item")}</span>
                {own.change !== null && <Change figure={figure} change={own.change} onRegressions={turnable ? () => results.showRegressions(true, figure.name) : undefined} />}
              </>
            )}
          </td>
        );
      })}
    </tr>
  );
}

/** How surely a difference is none by chance, as people have agreed on. */
const significant = 0.05;

function Change({ figure, change, onRegressions }: { figure: ComparedFigure; change: FigureChange; onRegressions?: () => void }) {
  const { delta, pValue, improved, regressed, summary } = change;
  const better = delta !== null && delta !== 0 && delta > 0 !== figure.lowerIsBetter;
  const sure = pValue !== null && pValue < significant;
  return (
    <div className="mt-1 flex flex-col gap-1">
      <span className="flex flex-wrap items-center gap-1">
        {delta !== null && <Badge tone={!sure ? "neutral" : better ? "ok" : "danger"}>{deltaText(figure, delta)}{sure && <span className="font-normal">{better ? "better" : "worse"}</span>}</Badge>}
        {figure.dataType !== "CATEGORICAL" && <span className="text-2xs text-text-2">{improved} better, {regressed} worse</span>}
        {onRegressions !== undefined && regressed > 0 && <IconButton icon={Filter} label={`Show the ${regressed} regressions of ${figure.name}`} onClick={onRegressions} className="size-6 pointer-coarse:size-11" />}
      </span>
      <p className="text-2xs text-text-2">{summary}</p>
    </div>
  );
}
