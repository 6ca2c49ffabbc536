import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { formatCount, formatNumberOf } from "@/shared/lib/format";
import { absoluteTime } from "@/shared/lib/time";
import type { Bucket, HeatMap, Histogram } from "./api";
import { endsOf, type Mark, moveMark, stack } from "./histogram";

export interface HistogramBarsProps {
  buckets: readonly Bucket[];
  /** Of a bucket, in seconds. */
  width: number;
  zone: string;
  onSelect: (start: number, end: number) => void;
}

const fills = { DEFAULT: "fill-chain", DEBUG: "fill-line-strong", WARNING: "fill-warn", ERROR: "fill-danger" };
const height = 56;

/** A bar for each bucket of time, stacked by level. */
export function HistogramBars({ buckets, width, zone, onSelect }: HistogramBarsProps) {
  const [mark, setMark] = useState<Mark | null>(null);
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const [low, high] = mark === null ? [0, -1] : endsOf(mark);
  const startOf = (index: number) => Date.parse(buckets[0]?.time ?? "") + index * width * 1000;
  const apply = () => {
    if (mark !== null) onSelect(startOf(low), startOf(high + 1));
    setMark(null);
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
          const at = placeOf(event, buckets.length);
          setMark({ anchor: at, at });
        }}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && mark !== null && setMark({ anchor: mark.anchor, at: placeOf(event, buckets.length) })}
        onPointerUp={apply} onPointerCancel={() => setMark(null)}
      >
        <svg aria-hidden width="100%" height={height} viewBox={`0 0 ${buckets.length} ${height}`} preserveAspectRatio="none">
          {mark !== null && <rect x={low} width={high - low + 1} height={height} className="fill-selected" />}
          {buckets.map((bucket, index) => <Bar key={bucket.time} bucket={bucket} x={index} most={most} />)}
          <line x1={0} x2={buckets.length} y1={height - 0.5} y2={height - 0.5} className="stroke-line" vectorEffect="non-scaling-stroke" />
        </svg>
      </div>
      <TimeFoot marked={marked} from={startOf(0)} to={startOf(buckets.length)} zone={zone} />
    </>
  );
}

/** Which of so many equal parts the pointer is over. */
export function placeOf(event: PointerEvent, count: number): number {
  const box = event.currentTarget.getBoundingClientRect();
  return Math.min(Math.max(Math.floor(((event.clientX - box.left) / box.width) * count), 0), count - 1);
}

function Bar({ bucket, x, most }: { bucket: Bucket; x: number; most: number }) {
  return <g>{stack(bucket, most, height).map(({ level, y, size }) => <rect key={level} x={x + 0.12} width={0.76} y={y} height={size} className={fills[level]} />)}</g>;
}

/** Below a chart: what is marked, or else when the chart begins and ends. */
export function TimeFoot({ marked, from, to, zone }: { marked: string; from: number; to: number; zone: string }) {
  return (
    <div className="flex h-4 justify-between gap-2 text-2xs text-text-3">
      {marked !== "" ? <span className="truncate text-text-2">{marked}</span> : Number.isFinite(from) && <><span>{timeOf(from, zone)}</span><span>{timeOf(to, zone)}</span></>}
    </div>
  );
}

export const timeOf = (at: number, zone: string) => absoluteTime(at, zone).slice(5, 16);

function countText(buckets: readonly Bucket[]): string {
  const sum = (of: (bucket: Bucket) => number) => buckets.reduce((total, bucket) => total + of(bucket), 0);
  const [rows, errors, warnings] = [sum(({ count }) => count), sum(({ levels }) => levels.ERROR), sum(({ levels }) => levels.WARNING)];
  return [formatNumberOf(rows, "row"), errors > 0 && formatNumberOf(errors, "error"), warnings > 0 && formatNumberOf(warnings, "warning")].filter(Boolean).join(", ");
}

/** What a chart shows, in words. */
export function summary(histogram: Histogram | HeatMap, zone: string): string {
  const [first, ...others] = histogram.buckets;
  const busiest = first && others.reduce<{ time: string; count: number }>((best, bucket) => (bucket.count > best.count ? bucket : best), first);
  if (busiest === undefined || busiest.count === 0) return "No rows in this time.";
  const words = histogram.measure === "count" ? countText(histogram.buckets) : `${formatNumberOf(histogram.rows, "row")} that have ended, by latency`;
  return `${words}. Most at ${timeOf(Date.parse(busiest.time), zone)}: ${formatCount(busiest.count)}.`;
}
