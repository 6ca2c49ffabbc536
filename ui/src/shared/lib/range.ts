/** A span of time that a list shows: the last so long, or between two fixed times (ISO 8601, UTC). */
export type Range = { last: string } | { from: string; to: string };

export const presets = ["15m", "1h", "6h", "24h", "7d", "30d"] as const;
export const defaultRange: Range = { last: "24h" };

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const unitNames: Record<string, string> = { m: "minute", h: "hour", d: "day" };
const longest = 400 * units.d!;

/** Reads the text of an address; what is none, ends before it starts or is unbounded is the default. */
export function parseRange(text: string | undefined): Range {
  if (text === undefined) return defaultRange;
  const last = lengthOf(text);
  if (last > 0 && last <= longest) return { last: text };
  const [from, to, ...rest] = text.split("..");
  if (rest.length > 0 || from === undefined || to === undefined) return defaultRange;
  const [start, end] = [Date.parse(from), Date.parse(to)];
  if (!(start < end)) return defaultRange;
  return fixed(start, end);
}

function lengthOf(text: string): number {
  const parts = /^([1-9]\d{0,4})([mhd])$/.exec(text);
  return parts === null ? 0 : Number(parts[1]) * units[parts[2]!]!;
}

function fixed(start: number, end: number): Range {
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString() };
}

/** The text for an address; undefined for the default, which stays out of it. */
export function printRange(range: Range): string | undefined {
  const text = "last" in range ? range.last : `${range.from}..${range.to}`;
  return "last" in defaultRange && text === defaultRange.last ? undefined : text;
}

/** The two ends at a moment: from is in the range, to is not. */
export function resolveRange(range: Range, now: number): { from: string; to: string } {
  if (!("last" in range)) return range;
  return { from: new Date(now - lengthOf(range.last)).toISOString(), to: new Date(now).toISOString() };
}

/** The same range with fixed times, for links that must show the same rows tomorrow. */
export function fixRange(range: Range, now: number): Range {
  return { ...resolveRange(range, now) };
}

export function fixedRange(start: number, end: number): Range {
  return fixed(Math.min(start, end), Math.max(start, end));
}

/** Twice as long, with the same end or the same middle. */
export function widerRange(range: Range): Range {
  if (!("last" in range)) {
    const [start, end] = [Date.parse(range.from), Date.parse(range.to)];
    return fixed(start - (end - start) / 2, end + (end - start) / 2);
  }
  const length = lengthOf(range.last);
  return { last: presets.find((preset) => lengthOf(preset) > length) ?? `${Math.min(400, Math.ceil((length * 2) / units.d!))}d` };
}

/** As long a range around a moment. */
export function rangeWith(range: Range, now: number, moment: string): Range {
  const { from, to } = resolveRange(range, now);
  const half = (Date.parse(to) - Date.parse(from)) / 2;
  return fixed(Date.parse(moment) - half, Date.parse(moment) + half);
}

/** In words: "Last 24 hours", "1 May 10:00 – 12:00". */
export function describeRange(range: Range, timeZone?: string): string {
  if ("last" in range) {
    const count = Number.parseInt(range.last, 10);
    const name = unitNames[range.last.at(-1)!]!;
    return count === 1 ? `Last ${name}` : `Last ${count} ${name}s`;
  }
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone });
  const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone });
  const [from, to] = [new Date(range.from), new Date(range.to)];
  const sameDay = day.format(from) === day.format(to);
  return `${day.format(from)} ${time.format(from)} – ${sameDay ? "" : `${day.format(to)} `}${time.format(to)}`;
}
