import { type KeyboardEvent, memo, type PointerEvent, useState } from "react";
import { formatDuration, formatNumberOf } from "@/shared/lib/format";
import type { HeatMap } from "./api";
import { placeOf, TimeFoot, timeOf } from "./HistogramBars";
import { endsOf, latencyQuery, type Mark, moveMark, shade, usedBands } from "./histogram";

export interface HeatMapChartProps {
  map: HeatMap;
  zone: string;
  onSelect: (start: number, end: number) => void;
  onCompare: (query: string) => void;
}

const height = 72;

/** Latency over time, the slowest on top; the more rows the darker. A field that is dragged over is compared with the
 * rest; one over all latencies becomes the time range. */
export function HeatMapChart({ map, zone, onSelect, onCompare }: HeatMapChartProps) {
  const { buckets, bucketSeconds, bandMilliseconds } = map;
  const bands = usedBands(map);
  const whole = { anchor: 0, at: Math.max(0, bands.length - 1) };
  const [mark, setMark] = useState<{ x: Mark; y: Mark } | null>(null);
  const [left, right] = mark === null ? [0, -1] : endsOf(mark.x);
  const [low, high] = endsOf(mark?.y ?? whole);
  const startOf = (index: number) => Date.parse(buckets[0]?.time ?? "") + index * bucketSeconds * 1000;
  const latencyOf = (place: number) => formatDuration(bandMilliseconds[(bands[0] ?? 0) + place] ?? null);

  const apply = () => {
    if (mark === null || bands.length === 0) return;
    setMark(null);
    if (low === 0 && high === bands.length - 1) return onSelect(startOf(left), startOf(right + 1));
    const times = left === 0 && right === buckets.length - 1 ? "" : ` startTime:>=${isoOf(startOf(left))} startTime:<${isoOf(startOf(right + 1))}`;
    onCompare(`${latencyQuery(bandMilliseconds, bands[low]!, bands[high]!)}${times}`.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const from = mark ?? { x: { anchor: buckets.length - 1, at: buckets.length }, y: whole };
    const across = moveMark(event.key, event.shiftKey, from.x, buckets.length);
    const up = moveMark({ ArrowUp: "ArrowRight", ArrowDown: "ArrowLeft" }[event.key] ?? "", event.shiftKey, from.y, bands.length);
    if (across !== undefined) setMark({ ...from, x: across });
    else if (up !== undefined) setMark({ x: mark?.x ?? { anchor: 0, at: buckets.length - 1 }, y: up });
    else if (event.key === "Enter" && mark !== null) apply();
    else if (event.key === "Escape" && mark !== null) setMark(null);
    else return;
    event.preventDefault();
  };
  const pointed = (event: PointerEvent) => ({ x: placeOf(event, buckets.length), y: bandOf(event, bands.length) });
  const onPointerDown = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const { x, y } = pointed(event);
    setMark({ x: { anchor: x, at: x }, y: { anchor: y, at: y } });
  };
  const onPointerMove = (event: PointerEvent) => {
    if (mark === null || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { x, y } = pointed(event);
    setMark({ x: { ...mark.x, at: x }, y: { ...mark.y, at: y } });
  };

  const rows = buckets.slice(left, right + 1).reduce((sum, bucket) => sum + bands.slice(low, high + 1).reduce((inBands, band) => inBands + (bucket.bands[band] ?? 0), 0), 0);
  const marked = mark === null ? "" : `${timeOf(startOf(left), zone)} to ${timeOf(startOf(right + 1), zone)}, ${latencyOf(low)} to ${latencyOf(high + 1)}: ${formatNumberOf(rows, "row")}`;
  return (
    <>
      <div
        role="slider" tabIndex={0} aria-valuemin={0} aria-valuemax={Math.max(0, buckets.length - 1)} aria-valuenow={mark?.x.at ?? Math.max(0, buckets.length - 1)} aria-valuetext={marked || "Nothing marked"}
        aria-label="Latency over time. Arrows mark a field, Shift extends it. Enter compares it with the rest, or makes it the time range when it spans all latencies"
        className="relative cursor-crosshair touch-pan-y select-none" style={{ height }} onKeyDown={onKeyDown} onBlur={() => setMark(null)}
        onPointerDown={onPointerDown} onPointerMove={onPointerMove} onPointerUp={apply} onPointerCancel={() => setMark(null)}
      >
        <svg aria-hidden width="100%" height={height} viewBox={`0 0 ${buckets.length} ${Math.max(1, bands.length)}`} preserveAspectRatio="none">
          <Fields map={map} />
          {mark !== null && <rect x={left} width={right - left + 1} y={bands.length - 1 - high} height={high - low + 1} className="fill-none stroke-text" strokeWidth={1.5} vectorEffect="non-scaling-stroke" />}
        </svg>
        {bands.length > 0 && [["top-0", bands.length] as const, ["bottom-0", 0] as const].map(([side, place]) => (
          <span key={side} aria-hidden className={`pointer-events-none absolute left-0 rounded-sm bg-bg px-1 text-2xs leading-4 text-text-2 ${side}`}>{latencyOf(place)}</span>
        ))}
        {bands.length === 0 && <p className="absolute inset-0 grid place-items-center text-xs text-text-3">No row of this time has ended.</p>}
      </div>
      <TimeFoot marked={marked} from={startOf(0)} to={startOf(buckets.length)} zone={zone} />
    </>
  );
}

const isoOf = (at: number) => new Date(at).toISOString();

/** The band under the pointer, from the quickest up. */
function bandOf(event: PointerEvent, count: number): number {
  const box = event.currentTarget.getBoundingClientRect();
  return Math.min(Math.max(count - 1 - Math.floor(((event.clientY - box.top) / box.height) * count), 0), count - 1);
}

/** More than a thousand fields: they are not drawn anew while a mark moves over them. */
const Fields = memo(function Fields({ map }: { map: HeatMap }) {
  const bands = usedBands(map);
  const most = Math.max(1, ...map.buckets.flatMap((bucket) => bucket.bands));
  return map.buckets.map((bucket, x) => bands.flatMap((band, place) => {
    const count = bucket.bands[band] ?? 0;
    return count === 0 ? [] : <rect key={`${bucket.time} ${band}`} x={x} y={bands.length - 1 - place} width={1} height={1} className="fill-chain" fillOpacity={shade(count, most)} />;
  }));
});
