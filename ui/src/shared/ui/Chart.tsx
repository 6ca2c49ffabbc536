import { lazy, type ReactNode, Suspense } from "react";
import { useTimeZone } from "@/shared/lib/preferences";
import { absoluteTime } from "@/shared/lib/time";
import { ChartFrame, FigureTable } from "./ChartFrame";
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
  /** How much of all is shown, such as "the top 7 of 23". */
  note?: string;
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
  /** Behind the title: a menu. */
  actions?: ReactNode;
  /** A stretch was dragged over, in seconds. */
  onSelectRange?: (from: number, to: number) => void;
  /** A point leads to what it counts: the places of its series and of its bucket. */
  onPoint?: (series: number, bucket: number) => void;
}

/** Colours that stay apart, in the order in which series take them. */
export const palette = ["chain", "tool", "embedding", "generation", "evaluator", "agent", "guardrail", "span"];

/** A course over time. What it shows is there as text and as a table, too. */
export function Chart({ title, note, summary, actions, height = 160, ...data }: ChartProps) {
  const [zone] = useTimeZone();
  const { times, format, onPoint } = data;
  const series = data.series.map((one, index) => ({ ...one, color: one.color ?? palette[index % palette.length] ?? "span" }));
  const rows = times.map((time, index) => ({ key: String(time), label: absoluteTime(time * 1000, zone).slice(0, 16), cells: series.map(({ values }) => format(values[index] ?? null)) }));
  return (
    <ChartFrame
      title={title} note={note} height={height} actions={actions} summary={summary ?? summaryOf(series, format)}
      table={<FigureTable head="Time" columns={series.map(({ label }) => label)} rows={rows} onPoint={onPoint && ((bucket, one) => onPoint(one, bucket))} />}
    >
      <Suspense fallback={<div style={{ height }}><Skeleton className="h-full" /></div>}>
        <ChartCanvas {...data} series={series} height={height} />
      </Suspense>
      {series.length > 1 && <Legend entries={series.map(({ label, color }) => ({ label, color }))} />}
    </ChartFrame>
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
