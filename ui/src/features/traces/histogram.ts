import type { Bucket, Level } from "./api";

/** From the ground of a bar up. */
export const levels: readonly Level[] = ["DEFAULT", "DEBUG", "WARNING", "ERROR"];

/** What a key does to the marked buckets: moves them, or with Shift the end of them. */
export function moveMark(key: string, shift: boolean, mark: { anchor: number; at: number }, count: number): { anchor: number; at: number } | undefined {
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
