import type { HistogramCell } from "./api";

export const levels = ["DEFAULT", "DEBUG", "WARNING", "ERROR"] as const;
export type Level = (typeof levels)[number];

export interface Bucket {
  start: number;
  counts: Record<Level, number>;
  total: number;
}

/** Widths that divide hours and days, in seconds. */
const widths = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];
const wanted = 80;

/** The least width that gives no more than 80 buckets. */
export function bucketWidth(from: string, to: string): number {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return widths.find((width) => seconds / width <= wanted) ?? widths.at(-1)!;
}

/** Every bucket of the range, also those in which nothing started. They begin at multiples of the width since 1970. */
export function fillBuckets(cells: readonly HistogramCell[], from: string, to: string, width: number): Bucket[] {
  const step = width * 1000;
  const first = Math.floor(Date.parse(from) / step) * step;
  const buckets: Bucket[] = [];
  for (let start = first; start < Date.parse(to); start += step) {
    buckets.push({ start, counts: { DEFAULT: 0, DEBUG: 0, WARNING: 0, ERROR: 0 }, total: 0 });
  }
  for (const { start, level, count } of cells) {
    const bucket = buckets[Math.round((Date.parse(start) - first) / step)];
    if (bucket === undefined) continue;
    bucket.counts[(levels as readonly string[]).includes(level) ? (level as Level) : "DEFAULT"] += count;
    bucket.total += count;
  }
  return buckets;
}

/** What a key does to the marked buckets: moves them, or with Shift the end of them. */
export function moveMark(key: string, shift: boolean, mark: { anchor: number; at: number }, count: number): { anchor: number; at: number } | undefined {
  const last = count - 1;
  const to = { ArrowLeft: mark.at - 1, ArrowRight: mark.at + 1, PageUp: mark.at - 10, PageDown: mark.at + 10, Home: 0, End: last }[key];
  if (to === undefined) return undefined;
  const at = Math.min(Math.max(to, 0), last);
  return { anchor: shift ? mark.anchor : at, at };
}

/** The parts of a bar from the ground up. The least part is 1.5 high: a single error must be seen among thousands. */
export function stack({ counts }: Bucket, most: number, height: number): { level: Level; y: number; size: number }[] {
  const parts: { level: Level; y: number; size: number }[] = [];
  let y = height;
  for (const level of levels) {
    if (counts[level] === 0) continue;
    const size = Math.max(1.5, (counts[level] / most) * (height - 4));
    y -= size;
    parts.push({ level, y, size });
  }
  return parts;
}
