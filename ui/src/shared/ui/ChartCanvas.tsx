import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTimeZone } from "@/shared/lib/preferences";
import { type Theme, tokenColor, useTheme } from "@/shared/lib/theme";
import { absoluteTime } from "@/shared/lib/time";
import type { ChartProps, ChartSeries } from "./Chart";

type CanvasProps = Omit<ChartProps, "title" | "note" | "summary" | "actions" | "height" | "series"> & {
  series: readonly (ChartSeries & { color: string })[];
  height: number;
};

/** What a drawn chart cannot change any more: it is made anew then. */
interface Ink {
  theme: Theme;
  zone: string;
}

/** The canvas of a Chart. It draws anew when its data, the theme or its width change. */
export default function ChartCanvas(props: CanvasProps) {
  const { times, series, stacked, kind, partialLast, height, onSelectRange } = props;
  const box = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const [zone] = useTimeZone();
  const layers = useMemo(() => layersOf({ times, series, stacked, kind, partialLast }), [times, series, stacked, kind, partialLast]);
  const point = useEffectEvent((plot: uPlot) => pointedAt(plot, props));
  const select = useEffectEvent((from: number, to: number) => onSelectRange?.(from, to));
  const options = useEffectEvent((width: number, ink: Ink) => plotOptions(props, layers, ink.zone, width, select, (plot) => showTip(plot, tip.current, props, ink.zone)));

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const plot = new uPlot(options(element.clientWidth || 300, { theme, zone }), [[...times], ...layers.map(({ values }) => values)], element);
    const onClick = () => point(plot);
    plot.over.addEventListener("click", onClick);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, layers, theme, zone, height]);

  return (
    <div className="relative min-w-0" aria-hidden>
      <div ref={box} className="min-w-0 overflow-hidden" style={{ height }} />
      <div ref={tip} hidden className="pointer-events-none absolute top-0 z-10 max-w-60 rounded-md border border-line bg-raised px-2 py-1 text-2xs whitespace-pre shadow-overlay" />
    </div>
  );
}

interface Layer {
  label: string;
  color: string;
  values: (number | null)[];
  dotted: boolean;
}

/** What is drawn, from the back to the front. Stacked series are sums, the highest at the back; the way into a bucket
 * that is not over yet is a dotted layer of its own. */
function layersOf({ series, times, stacked = false, kind, partialLast = false }: Pick<CanvasProps, "series" | "times" | "stacked" | "kind" | "partialLast">): Layer[] {
  if (stacked) {
    const sums = times.map(() => 0);
    return series.map(({ label, color, values }) => {
      const tops = values.map((value, index) => (sums[index] = (sums[index] ?? 0) + (value ?? 0)));
      return { label, color, values: tops, dotted: false };
    }).toReversed();
  }
  const plain = series.map(({ label, color, values }) => ({ label, color, values: [...values], dotted: false }));
  if (!partialLast || kind === "bars") return plain;
  const last = times.length - 1;
  const dotted = plain.map((layer) => ({ ...layer, dotted: true, values: layer.values.map((value, index) => (index >= last - 1 ? value : null)) }));
  return [...plain.map((layer) => ({ ...layer, values: layer.values.with(last, null) })), ...dotted];
}

function plotOptions(props: CanvasProps, layers: readonly Layer[], zone: string, width: number, select: (from: number, to: number) => void, onCursor: (plot: uPlot) => void): uPlot.Options {
  const { height, format } = props;
  const axis: uPlot.Axis = {
    stroke: tokenColor("text-3"), font: "11px system-ui, sans-serif", ticks: { show: false },
    grid: { stroke: tokenColor("line"), width: 1 }, border: { show: false },
  };
  // Bars stand in the middle of their place: without room at the ends half of the first and last is cut off.
  const edge = props.kind === "bars" && props.times.length > 1 ? (props.times[1]! - props.times[0]!) / 2 : 0;
  return {
    width, height, legend: { show: false }, padding: [8, props.kind === "bars" ? 8 : 20, 0, 0],
    tzDate: (seconds) => (zone === "local" ? new Date(seconds * 1000) : uPlot.tzDate(new Date(seconds * 1000), zone)),
    cursor: { y: false, drag: { x: props.onSelectRange !== undefined, y: false, setScale: false }, points: { show: props.kind !== "bars" } },
    scales: { x: { range: (_, low, high) => [low - edge, high + edge] }, y: { range: (_, low, high) => [Math.min(0, low ?? 0), (high ?? 0) > 0 ? (high ?? 0) * 1.05 : 1] } },
    axes: [{ ...axis, grid: { show: false }, size: 24, space: 70, values: (_, ticks) => ticks.map((tick) => timeLabel(tick, zone)) }, { ...axis, size: roomFor, space: 32, values: (_, ticks) => ticks.map((tick) => format(tick)) }],
    series: [{}, ...layers.map((layer) => layerOptions(props, layer))],
    hooks: {
      setCursor: [onCursor],
      setSelect: [(plot) => {
        if (plot.select.width === 0) return;
        select(plot.posToVal(plot.select.left, "x"), plot.posToVal(plot.select.left + plot.select.width, "x"));
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
    },
  };
}

/** A click, not a drag, names the bucket and the series that is drawn there. */
function pointedAt(plot: uPlot, { series, stacked = false, onPoint }: CanvasProps): void {
  const { idx, top = 0 } = plot.cursor;
  if (onPoint === undefined || idx === null || idx === undefined) return;
  onPoint(seriesAt(series.map(({ values }) => values[idx] ?? null), plot.posToVal(top, "y"), stacked), idx);
}

/** The series at a height of one bucket: in a stack the one whose part it is, else the nearest. */
export function seriesAt(values: readonly (number | null)[], at: number, stacked: boolean): number {
  if (stacked) {
    let sum = 0;
    const found = values.findIndex((value) => (sum += value ?? 0) >= at && (value ?? 0) > 0);
    return found >= 0 ? found : Math.max(0, values.findLastIndex((value) => (value ?? 0) > 0));
  }
  const distances = values.map((value) => (value === null ? Number.POSITIVE_INFINITY : Math.abs(value - at)));
  return Math.max(0, distances.indexOf(Math.min(...distances)));
}

/** The width of an axis whose longest label fits: small costs have many digits. */
const roomFor = (_: uPlot, labels: string[] | null) => Math.max(52, 14 + 6.5 * Math.max(0, ...(labels ?? []).map(({ length }) => length)));

/** "08:00", and the day where one begins. */
function timeLabel(seconds: number, zone: string): string {
  const text = absoluteTime(seconds * 1000, zone);
  return text.endsWith("00:00:00") ? text.slice(5, 10) : text.slice(11, 16);
}

function layerOptions({ kind = "line", stacked, times }: CanvasProps, { label, color, dotted }: Layer): uPlot.Series {
  const stroke = tokenColor(color);
  const base: uPlot.Series = { label, stroke, width: 1.5, points: { show: times.length < 2, size: 6 } };
  if (kind === "bars") return { ...base, width: 0, fill: stroke, paths: uPlot.paths.bars?.({ size: [0.85, 24], gap: 1 }), points: { show: false } };
  const fill = kind === "area" ? stroke + (stacked ? "" : "2e") : undefined;
  return { ...base, fill, dash: dotted ? [2, 3] : undefined };
}

function showTip(plot: uPlot, tip: HTMLElement | null, { series, times, format }: CanvasProps, zone: string): void {
  const index = plot.cursor.idx;
  if (tip === null) return;
  tip.hidden = index === null || index === undefined;
  if (index === null || index === undefined) return;
  const lines = series.map(({ label, values }) => `${label}  ${format(values[index] ?? null)}`);
  tip.textContent = [absoluteTime((times[index] ?? 0) * 1000, zone).slice(0, 16), ...lines].join("\n");
  const left = plot.bbox.left / devicePixelRatio + (plot.cursor.left ?? 0);
  tip.style.left = left > plot.width / 2 ? "" : `${left + 12}px`;
  tip.style.right = left > plot.width / 2 ? `${plot.width - left + 12}px` : "";
}
