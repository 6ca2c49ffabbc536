import type { TraceRows } from "./rows";

/** A stretch of time on the axis, in milliseconds from the start of the trace. */
export interface TimeWindow {
  from: number;
  to: number;
}

const shortest = 5; // milliseconds: times are no finer than one
const longRow = 0.4; // of the trace; such rows say nothing about where the others are
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1800e3, 3600e3, 7200e3, 21600e3, 43200e3, 86400e3];

/** The whole trace, with room for the label of its last bar. */
export function wholeTrace(extent: number): TimeWindow {
  return { from: 0, to: Math.max(shortest, extent * 1.02) };
}

/** Keeps a window inside of the trace and long enough to draw. */
export function clampWindow({ from, to }: TimeWindow, extent: number): TimeWindow {
  const whole = wholeTrace(extent);
  const length = Math.min(Math.max(to - from, shortest), whole.to);
  const start = Math.min(Math.max(from, 0), whole.to - length);
  return { from: start, to: start + length };
}

/** Zooms by a factor (below 1 is closer) so that the moment under the pointer stays there. */
export function zoomAt(window: TimeWindow, factor: number, at: number, extent: number): TimeWindow {
  const length = window.to - window.from;
  const next = Math.min(Math.max(length * factor, shortest), wholeTrace(extent).to);
  const share = (at - window.from) / length;
  const from = at - share * next;
  return clampWindow({ from, to: from + next }, extent);
}

export function panBy(window: TimeWindow, milliseconds: number, extent: number): TimeWindow {
  return clampWindow({ from: window.from + milliseconds, to: window.to + milliseconds }, extent);
}

/** A row with some air around it. */
export function fitRow(rows: TraceRows, row: number): TimeWindow {
  const length = Math.max(shortest, rows.endOf(row) - rows.start[row]!);
  return clampWindow({ from: rows.start[row]! - length * 0.08, to: rows.start[row]! + length * 1.25 }, rows.extent);
}

/** What the axis shows while it follows the scroll: all rows between two positions that are not as long as the trace. */
export function followWindow(rows: TraceRows, shown: Int32Array, first: number, end: number): TimeWindow {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  for (let position = Math.max(0, first); position < Math.min(end, shown.length); position++) {
    const row = shown[position]!;
    const rowEnd = rows.endOf(row);
    if (rowEnd - rows.start[row]! > longRow * rows.extent) continue;
    from = Math.min(from, rows.start[row]!);
    to = Math.max(to, rowEnd);
  }
  if (from > to) return wholeTrace(rows.extent);
  const air = Math.max(1, to - from) * 0.04;
  return clampWindow({ from: from - air, to: to + air * 4 }, rows.extent);
}

/** Round moments inside of a window, about one per `every` pixels. */
export function ticks(window: TimeWindow, width: number, every = 80): number[] {
  const wanted = Math.max(1, Math.floor(width / every));
  const least = (window.to - window.from) / wanted;
  const step = steps.find((candidate) => candidate >= least) ?? Math.ceil(least / 86400e3) * 86400e3;
  const found: number[] = [];
  for (let at = Math.ceil(window.from / step) * step; at <= window.to; at += step) found.push(at);
  return found;
}

/** A moment on the axis, as fine as the distance between ticks needs it: 1.25 s, 3:05, 2:00:10. */
export function tickLabel(at: number, step: number): string {
  if (at === 0) return "0";
  if (at < 1000 && step < 1000) return `${at} ms`;
  const fraction = step >= 1000 ? 0 : step >= 100 ? 1 : step >= 10 ? 2 : 3;
  if (at < 60e3) return `${(at / 1000).toFixed(fraction)} s`;
  const seconds = ((at % 60e3) / 1000).toFixed(fraction).padStart(fraction === 0 ? 2 : fraction + 3, "0");
  const minutes = Math.floor(at / 60e3);
  if (minutes < 60) return `${minutes}:${seconds}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${seconds}`;
}

/** The address holds whole milliseconds; anything else in it is no window. */
export function parseWindow(t0: string | undefined, t1: string | undefined, extent: number): TimeWindow | null {
  if (t0 === undefined || t1 === undefined || !/^\d+$/.test(t0) || !/^\d+$/.test(t1)) return null;
  const [from, to] = [Number(t0), Number(t1)];
  return from < to ? clampWindow({ from, to }, extent) : null;
}
