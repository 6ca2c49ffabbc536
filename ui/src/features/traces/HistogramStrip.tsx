import { ChartColumn, Table2 } from "lucide-react";
import { type KeyboardEvent, lazy, type PointerEvent, Suspense, useState } from "react";
import { formatCount } from "@/shared/lib/format";
import { useTimeZone } from "@/shared/lib/preferences";
import { absoluteTime } from "@/shared/lib/time";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { Skeleton } from "@/shared/ui/Skeleton";
import type { Bucket, Histogram } from "./api";
import { moveMark, stack } from "./histogram";

const HistogramTable = lazy(async () => ({ default: (await import("./HistogramTable")).HistogramTable }));

export interface HistogramStripProps {
  histogram: Histogram | undefined;
  error: unknown;
  /** Counts leave out what the query says of inputs and outputs. */
  partial: boolean;
  onSelect: (start: number, end: number) => void;
}

const fills = { DEFAULT: "fill-chain", DEBUG: "fill-line-strong", WARNING: "fill-warn", ERROR: "fill-danger" };
const height = 56;

/** How many rows started when, by level. A stretch that is dragged over becomes the time range. */
export function HistogramStrip({ histogram, error, partial, onSelect }: HistogramStripProps) {
  const [asTable, setAsTable] = useState(false);
  const [zone] = useTimeZone();
  const buckets = histogram?.buckets ?? [];
  const width = histogram?.bucketSeconds ?? 1;
  const notes = [histogram?.sampled && "newest rows only", partial && "without the search in inputs and outputs"].filter(Boolean).join(", ");
  if (error && histogram === undefined) return <ErrorState error={error} compact className="border-b border-line" />;
  return (
    <figure className="relative border-b border-line py-1 pr-10 pl-3 pointer-coarse:pr-13">
      <figcaption className="absolute top-1 right-1 z-1 flex items-center gap-2">
        <span className="sr-only">{summary(buckets, zone)}</span>
        {notes !== "" && <span className="rounded-sm bg-bg px-1 text-2xs text-text-3">Counts: {notes}</span>}
        <IconButton icon={asTable ? ChartColumn : Table2} label={asTable ? "View counts as chart" : "View counts as table"} onClick={() => setAsTable(!asTable)} />
      </figcaption>
      {histogram === undefined && <Skeleton className="h-[72px]" />}
      {histogram !== undefined && asTable && <Suspense><HistogramTable buckets={buckets} width={width} onSelect={onSelect} /></Suspense>}
      {histogram !== undefined && !asTable && <Bars buckets={buckets} width={width} zone={zone} onSelect={onSelect} />}
    </figure>
  );
}

function Bars({ buckets, width, zone, onSelect }: { buckets: readonly Bucket[]; width: number; zone: string; onSelect: HistogramStripProps["onSelect"] }) {
  const [mark, setMark] = useState<{ anchor: number; at: number } | null>(null);
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const [low, high] = mark === null ? [0, -1] : [Math.min(mark.anchor, mark.at), Math.max(mark.anchor, mark.at)];
  const startOf = (index: number) => Date.parse(buckets[0]?.time ?? "") + index * width * 1000;
  const apply = () => {
    if (mark !== null) onSelect(startOf(low), startOf(high + 1));
    setMark(null);
  };
  const placeOf = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(Math.max(Math.floor(((event.clientX - box.left) / box.width) * buckets.length), 0), buckets.length - 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moved = moveMark(event.key, event.shiftKey, mark ?? { anchor: buckets.length - 1, at: buckets.length }, buckets.length);
    if (moved !== undefined) setMark(moved);
    else if (event.key === "Enter" && mark !== null) apply();
    else if (event.key === "Escape" && mark !== null) setMark(null);
    else return;
    event.preventDefault();
  };
  const marked = mark === null ? "" : `${timeOf(startOf(low), zone)} to ${timeOf(startOf(high + 1), zone)}: ${countText(buckets.slice(low, high + 1))}`;
  return (
    <>
      <div
        role="slider" tabIndex={0} aria-label="Rows over time. Arrows mark a stretch, Shift extends it, Enter makes it the time range" aria-valuemin={0} aria-valuemax={Math.max(0, buckets.length - 1)}
        aria-valuenow={mark?.at ?? Math.max(0, buckets.length - 1)} aria-valuetext={marked || "Nothing marked"}
        className="relative cursor-crosshair touch-pan-y select-none" style={{ height }} onKeyDown={onKeyDown} onBlur={() => setMark(null)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = placeOf(event);
          setMark({ anchor: at, at });
        }}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && mark !== null && setMark({ anchor: mark.anchor, at: placeOf(event) })}
        onPointerUp={apply} onPointerCancel={() => setMark(null)}
      >
        <svg aria-hidden width="100%" height={height} viewBox={`0 0 ${buckets.length} ${height}`} preserveAspectRatio="none">
          {mark !== null && <rect x={low} width={high - low + 1} height={height} className="fill-selected" />}
          {buckets.map((bucket, index) => <Bar key={bucket.time} bucket={bucket} x={index} most={most} />)}
          <line x1={0} x2={buckets.length} y1={height - 0.5} y2={height - 0.5} className="stroke-line" vectorEffect="non-scaling-stroke" />
        </svg>
      </div>
      <div className="flex h-4 justify-between gap-2 text-2xs text-text-3">
        {marked !== "" ? <span className="truncate text-text-2">{marked}</span> : (
          <><span>{buckets.length > 0 && timeOf(startOf(0), zone)}</span><span>{buckets.length > 0 && timeOf(startOf(buckets.length), zone)}</span></>
        )}
      </div>
    </>
  );
}

function Bar({ bucket, x, most }: { bucket: Bucket; x: number; most: number }) {
  return <g>{stack(bucket, most, height).map(({ level, y, size }) => <rect key={level} x={x + 0.12} width={0.76} y={y} height={size} className={fills[level]} />)}</g>;
}

const timeOf = (at: number, zone: string) => absoluteTime(at, zone).slice(5, 16);

function countText(buckets: readonly Bucket[]): string {
  const sum = (of: (bucket: Bucket) => number) => buckets.reduce((total, bucket) => total + of(bucket), 0);
  const [rows, errors, warnings] = [sum(({ count }) => count), sum(({ levels }) => levels.ERROR), sum(({ levels }) => levels.WARNING)];
  return [`${formatCount(rows)} rows`, errors > 0 && `${formatCount(errors)} errors`, warnings > 0 && `${formatCount(warnings)} warnings`].filter(Boolean).join(", ");
}

function summary(buckets: readonly Bucket[], zone: string): string {
  const busiest = buckets.reduce<Bucket | undefined>((best, bucket) => (best === undefined || bucket.count > best.count ? bucket : best), undefined);
  if (busiest === undefined || busiest.count === 0) return "No rows in this time.";
  return `${countText(buckets)}. Most at ${timeOf(Date.parse(busiest.time), zone)}: ${formatCount(busiest.count)}.`;
}
