import { useMemo } from "react";
import { Chart } from "@/shared/ui/Chart";
import type { Experiment } from "./api";
import { type byExperiment, courseOf, type Figure, figureKey, figureText, figureTitle } from "./model";

/** How many courses are drawn. */
const most = 4;

/** How figures went from run to run. */
export function RunCharts({ figures, runs, table }: { figures: readonly Figure[]; runs: readonly Experiment[]; table: ReturnType<typeof byExperiment> }) {
  const charts = useMemo(() => {
    const numbers = figures.filter(({ dataType }) => dataType !== "CATEGORICAL");
    const rest = numbers.filter(({ kind }) => kind !== "score");
    const scores = numbers.filter(({ kind }) => kind === "score").slice(0, most - rest.length);
    return [...scores, ...rest].map((figure) => ({ figure, ...courseOf(figure, runs, table) })).filter(({ known }) => known > 1);
  }, [figures, runs, table]);
  if (charts.length === 0) return null;
  return (
    <div className="grid shrink-0 gap-4 border-b border-line px-4 pb-3 sm:grid-cols-2 xl:grid-cols-4 max-sm:hidden">
      {charts.map(({ figure, times, values }) => (
        <Chart key={figureKey(figure)} title={`${figureTitle(figure)}, mean of each run`} height={110} times={times} series={[{ label: figureTitle(figure), values }]} format={(value) => figureText(figure, value)} />
      ))}
    </div>
  );
}
