import { ChartColumn, Grid2x2, Table2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTimeZone } from "@/shared/lib/preferences";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { Skeleton } from "@/shared/ui/Skeleton";
import type { HeatMap, Histogram } from "./api";
import { HistogramBars, summary } from "./HistogramBars";

const HeatMapChart = lazy(async () => ({ default: (await import("./HeatMapChart")).HeatMapChart }));
const HistogramTable = lazy(async () => ({ default: (await import("./HistogramTable")).HistogramTable }));

export interface HistogramStripProps {
  histogram: Histogram | HeatMap | undefined;
  measure: "count" | "latency";
  onMeasure: (measure: "count" | "latency") => void;
  error: unknown;
  onRetry: () => void;
  /** Counts leave out what the query says of inputs and outputs. */
  partial: boolean;
  onSelect: (start: number, end: number) => void;
  /** Asks in what the rows of a query differ from the rest. */
  onCompare: (query: string) => void;
}

/** How many rows started when, by level or by latency. A stretch that is dragged over becomes the time range. */
export function HistogramStrip({ histogram, measure, onMeasure, error, onRetry, partial, onSelect, onCompare }: HistogramStripProps) {
  const [asTable, setAsTable] = useState(false);
  const [zone] = useTimeZone();
  const heat = measure === "latency";
  const shown = histogram?.measure === measure ? histogram : undefined;
  const notes = [shown?.sampled && "newest rows only", partial && "without the search in inputs and outputs"].filter(Boolean).join(", ");
  if (error && histogram === undefined) return <ErrorState error={error} compact className="border-b border-line" onRetry={onRetry} />;
  return (
    <figure className="relative min-h-[81px] border-b border-line py-1 pr-10 pl-3 pointer-coarse:pr-13">
      <figcaption className="absolute top-1 right-1 z-1 flex items-start gap-2">
        <span className="sr-only">{shown !== undefined && summary(shown, zone)}</span>
        {notes !== "" && <span className="rounded-sm bg-bg px-1 text-2xs text-text-3">Counts: {notes}</span>}
        <span className="flex flex-col">
          <IconButton icon={asTable ? ChartColumn : Table2} label={asTable ? "View counts as chart" : "View counts as table"} onClick={() => setAsTable(!asTable)} />
          <IconButton icon={heat ? ChartColumn : Grid2x2} label={heat ? "Show counts by level" : "Show a heat map of latency"} aria-pressed={heat} onClick={() => onMeasure(heat ? "count" : "latency")} />
        </span>
      </figcaption>
      {shown === undefined && <Skeleton className="h-[72px]" />}
      {shown !== undefined && asTable && <Suspense><HistogramTable histogram={shown} onSelect={onSelect} /></Suspense>}
      {shown?.measure === "count" && !asTable && <HistogramBars buckets={shown.buckets} width={shown.bucketSeconds} zone={zone} onSelect={onSelect} />}
      {shown?.measure === "latency" && !asTable && <Suspense fallback={<Skeleton className="h-[72px]" />}><HeatMapChart map={shown} zone={zone} onSelect={onSelect} onCompare={onCompare} /></Suspense>}
    </figure>
  );
}
