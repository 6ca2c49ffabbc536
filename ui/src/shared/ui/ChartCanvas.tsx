import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTimeZone } from "@/shared/lib/preferences";
import { type Theme, tokenColor, useTheme } from "@/shared/lib/theme";
import { absoluteTime } from "@/shared/lib/time";
import type { ChartProps, ChartSeries } from "./Chart";

type CanvasProps = Omit<ChartProps, "title" | "summary" | "height" | "series"> & {
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
  const { times, series, stacked = false, height, onSelectRange } = props;
  const box = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const [zone] = useTimeZone();
  const data = useMemo(() => plotData(times, series, stacked), [times, series, stacked]);
  const select = useEffectEvent((from: number, to: number) => onSelectRange?.(from, to));
  const options = useEffectEvent((width: number, ink: Ink) => plotOptions(props, ink.zone, width, select, (plot) => showTip(plot, tip.current, props, ink.zone)));

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const plot = new uPlot(options(element.clientWidth || 300, { theme, zone }), data, element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [data, theme, zone, height]);

  return (
    <div className="relative min-w-0" aria-hidden>
      <div ref={box} className="min-w-0 overflow-hidden" style={{ height }} />
      <div ref={tip} hidden className="pointer-events-none absolute top-0 z-10 max-w-60 rounded-md border border-line bg-raised px-2 py-1 text-2xs whitespace-pre shadow-overlay" />
    </div>
  );
}

/** Stacked series are drawn from the highest sum down, each over the one before. */
function plotData(times: readonly number[], series: CanvasProps["series"], stacked: boolean): uPlot.AlignedData {
  if (!stacked) return [[...times], ...series.map(({ values }) => [...values])];
  const sums = times.map(() => 0);
  const layers = series.map(({ values }) => values.map((value, index) => (sums[index] = (sums[index] ?? 0) + (value ?? 0))));
  return [[...times], ...layers.toReversed()];
}

function plotOptions(props: CanvasProps, zone: string, width: number, select: (from: number, to: number) => void, onCursor: (plot: uPlot) => void): uPlot.Options {
  const { height, stacked, series, format } = props;
  const axis: uPlot.Axis = {
    stroke: tokenColor("text-3"), font: "11px system-ui, sans-serif", ticks: { show: false },
    grid: { stroke: tokenColor("line"), width: 1 }, border: { show: false },
  };
  return {
    width, height, legend: { show: false }, padding: [8, 8, 0, 0],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone === "local" ? Intl.DateTimeFormat().resolvedOptions().timeZone : zone),
    cursor: { y: false, drag: { x: props.onSelectRange !== undefined, y: false, setScale: false }, points: { show: props.kind !== "bars" } },
    scales: { y: { range: (_, low, high) => [Math.min(0, low ?? 0), (high ?? 0) > 0 ? (high ?? 0) * 1.05 : 1] } },
    axes: [{ ...axis, grid: { show: false }, size: 24, space: 70 }, { ...axis, size: 52, space: 32, values: (_, ticks) => ticks.map((tick) => format(tick)) }],
    series: [{}, ...(stacked ? series.toReversed() : series).map((one) => seriesOptions(props, one))],
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

function seriesOptions({ kind = "line", stacked, partialLast, times }: CanvasProps, { label, color }: ChartSeries & { color: string }): uPlot.Series {
  const stroke = tokenColor(color);
  const base: uPlot.Series = { label, stroke, width: 1.5, points: { show: times.length < 2, size: 6 } };
  if (kind === "bars") return { ...base, width: 0, fill: stroke, paths: uPlot.paths.bars?.({ size: [0.85, 24], gap: 1 }), points: { show: false } };
  const fill = kind === "area" ? stroke + (stacked ? "" : "2e") : undefined;
  return { ...base, fill, gaps: partialLast ? dottedEnd : undefined };
}

/** Leaves the way to the last point out: it stands alone, as its bucket is not over. */
function dottedEnd(plot: uPlot, _series: number, _from: number, _to: number, gaps: uPlot.Series.Gaps): uPlot.Series.Gaps {
  const times = plot.data[0];
  const [before, last] = [times.at(-2), times.at(-1)];
  if (before === undefined || last === undefined) return gaps;
  const start = plot.valToPos(before, "x", true);
  return [...gaps, [start, plot.valToPos(last, "x", true)]];
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
