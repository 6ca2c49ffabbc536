import type { Bucket, HeatMap, Level } from "./api";

/** From the ground of a bar up. */
export const levels: readonly Level[] = ["DEFAULT", "DEBUG", "WARNING", "ERROR"];

/** A stretch that is being marked: where it was begun, and where it has got to. */
export interface Mark {
  anchor: number;
  at: number;
}

export const endsOf = ({ anchor, at }: Mark): [low: number, high: number] => [Math.min(anchor, at), Math.max(anchor, at)];

/** What a key does to the marked buckets: moves them, or with Shift the end of them. */
export function moveMark(key: string, shift: boolean, mark: Mark, count: number): Mark | undefined {
  const last = count - 1;
  const to = { ArrowLeft: mark.at - 1, ArrowRight: mark.at + 1, PageUp: mark.at - 10, PageDown: mark.at + 10, Home: 0, End: last }[key];
  if (to === undefined) return undefined;
  const at = Math.min(Math.max(to, 0), last);
  return { anchor: shift ? mark.anchor : at, at };
}

/** The parts of a bar from the ground up. The least part is 1.5 high: a single error must be seen among thousands. */
export function stack({ levels: counts }: Bucket, most: number, height: number): { level: Level; y: number; size: number }[] {
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

/** The bands of latency between the quickest and the slowest row, by their place among all. */
export function usedBands({ buckets, bandMilliseconds }: HeatMap): number[] {
  const used = bandMilliseconds.map((_, band) => buckets.some(({ bands }) => (bands[band] ?? 0) > 0));
  const [first, last] = [used.indexOf(true), used.lastIndexOf(true)];
  return first < 0 ? [] : Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** How dark a field is: few rows must be seen beside thousands, so it grows by orders of magnitude. */
export function shade(count: number, most: number): number {
  return count === 0 ? 0 : 0.15 + 0.85 * (Math.log1p(count) / Math.log1p(Math.max(most, count)));
}

/** The query for rows of some bands of latency; the first band has no lower end, the last no upper one. */
export function latencyQuery(bandMilliseconds: readonly number[], low: number, high: number): string {
  const seconds = (ms: number | undefined) => String((ms ?? 0) / 1000);
  const from = low > 0 ? [`latency:>=${seconds(bandMilliseconds[low])}`] : [];
  const to = high < bandMilliseconds.length - 1 ? [`latency:<${seconds(bandMilliseconds[high + 1])}`] : [];
  return [...from, ...to].join(" ");
}
