import { formatCount, formatPercent } from "@/shared/lib/format";
import { Chart, type ChartSeries } from "@/shared/ui/Chart";
import { Panel } from "@/shared/ui/Panel";
import type { ScoreSide } from "../api";
import { formatFigure } from "./words";

/** Series of categories that are told apart; the others are one. */
const mostSeries = 7;

/** Means of numbers, the share of yes, or how often each category was given, over time. */
export function Trend({ sides, partialLast }: { sides: readonly { title: string; side: ScoreSide }[]; partialLast: boolean }) {
  return (
    <>
      {sides.filter(({ side }) => side.count > 0).map(({ title, side }) => {
        const times = side.trend.map(({ time }) => Date.parse(time) / 1000);
        const common = { times, partialLast };
        return (
          <Panel key={title} className="px-4 pt-2 pb-4">
            {side.dataType === "CATEGORICAL" && <Chart title={`Categories over time: ${title}`} kind="bars" stacked series={categories(side)} format={formatCount} {...common} />}
            {side.dataType === "BOOLEAN" && <Chart title={`Share of yes over time: ${title}`} series={means(side, "Share of yes")} format={formatPercent} {...common} />}
            {side.dataType === "NUMERIC" && <Chart title={`Mean over time: ${title}`} series={means(side, "Mean")} format={formatFigure} {...common} />}
          </Panel>
        );
      })}
    </>
  );
}

const means = ({ trend }: ScoreSide, label: string): ChartSeries[] => [{ label, values: trend.map(({ mean }) => mean) }];

function categories({ trend, distribution }: ScoreSide): ChartSeries[] {
  const series = distribution.slice(0, mostSeries).map(({ label }, index) => ({ label: label || "(empty)", values: trend.map(({ counts }) => counts[index] ?? 0) }));
  if (distribution.length <= mostSeries) return series;
  const others = trend.map(({ counts }) => counts.slice(mostSeries).reduce((sum, count) => sum + count, 0));
  return [...series, { label: `${distribution.length - mostSeries} others`, values: others }];
}
