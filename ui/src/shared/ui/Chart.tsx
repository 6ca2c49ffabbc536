import { ChartLine, Table2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTimeZone } from "@/shared/lib/preferences";
import { absoluteTime } from "@/shared/lib/time";
import { IconButton } from "./IconButton";
import { Legend } from "./Legend";
import { Skeleton } from "./Skeleton";

const ChartCanvas = lazy(() => import("./ChartCanvas"));

export interface ChartSeries {
  label: string;
  /** Null breaks the line: for averages and percentiles. Counts and sums say 0. */
  values: readonly (number | null)[];
  /** A token; without one the next of the palette. */
  color?: string;
}

export interface ChartProps {
  title: string;
  /** Where each bucket begins, in seconds since 1970, in order. */
  times: readonly number[];
  series: readonly ChartSeries[];
  kind?: "line" | "area" | "bars";
  /** Bars and areas on top of each other. */
  stacked?: boolean;
  format: (value: number | null) => string;
  height?: number;
  /** The last bucket is not over yet: it is drawn dotted. */
  partialLast?: boolean;
  /** What it shows, in a sentence, for those who do not see it. */
  summary?: string;
  /** A stretch was dragged over, in seconds. */
  onSelectRange?: (from: number, to: number) => void;
}

/** Colours that stay apart, in the order in which series take them. */
export const palette = ["chain", "tool", "embedding", "generation", "evaluator", "agent", "guardrail", "span"];

/** A course over time. What it shows is there as text and as a table, too. */
export function Chart({ title, summary, height = 160, ...data }: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  const series = data.series.map((one, index) => ({ ...one, color: one.color ?? palette[index % palette.length] ?? "span" }));
  return (
    <figure className="flex min-w-0 flex-col gap-2">
      <figcaption className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-sm font-medium">{title}</span>
        <span className="sr-only">{summary ?? summaryOf(series, data.format)}</span>
        <IconButton icon={asTable ? ChartLine : Table2} label={asTable ? `View ${title} as chart` : `View ${title} as table`} onClick={() => setAsTable(!asTable)} />
      </figcaption>
      {asTable ? <ChartTable times={data.times} series={series} format={data.format} height={height} label={title} /> : (
        <Suspense fallback={<div style={{ height }}><Skeleton className="h-full" /></div>}>
          <ChartCanvas {...data} series={series} height={height} />
        </Suspense>
      )}
      {series.length > 1 && <Legend entries={series} />}
    </figure>
  );
}

function summaryOf(series: readonly ChartSeries[], format: ChartProps["format"]): string {
  const each = series.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${label}: no values`;
    return `${label}: from ${format(Math.min(...known))} to ${format(Math.max(...known))}, at last ${format(known.at(-1) ?? null)}`;
  });
  return each.join("; ");
}

function ChartTable({ times, series, format, height, label }: Pick<ChartProps, "times" | "series" | "format"> & { height: number; label: string }) {
  const [zone] = useTimeZone();
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
    <section className="overflow-auto" style={{ height }} tabIndex={0} aria-label={`${label}, table`}>
      <table className="w-full text-xs">
        <thead className="sticky top-0 bg-raised text-text-2">
          <tr>
            <th scope="col" className="py-1 pr-3 text-left font-medium">Time</th>
            {series.map((one) => <th key={one.label} scope="col" className="py-1 pl-3 text-right font-medium">{one.label}</th>)}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time} className="border-t border-line">
              <th scope="row" className="py-1 pr-3 text-left font-normal whitespace-nowrap">{absoluteTime(time * 1000, zone).slice(0, 16)}</th>
              {series.map((one) => <td key={one.label} className="py-1 pl-3 text-right">{format(one.values[index] ?? null)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
