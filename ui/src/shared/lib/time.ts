import { none } from "./format";

export type Instant = Date | string | number;

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** The clock of a page turns in steps (useNow): what happened since the last one is not ahead. */
const clockStep = 10 * second;

function millis(instant: Instant | null | undefined): number {
  if (instant === null || instant === undefined) return Number.NaN;
  return new Date(instant).getTime();
}

/** How long ago, or in how long: "just now", "12 s ago", "5 min ago", "3 h ago", "2 d ago"; above 30 days the date. */
export function relativeTime(instant: Instant | null | undefined, now: number, zone = "local"): string {
  const at = millis(instant);
  if (Number.isNaN(at)) return none;
  const distance = Math.abs(now - at);
  if (distance >= 30 * day) return absoluteTime(at, zone).slice(0, 10);
  const text = distanceText(distance);
  if (text === "" || (at > now && distance <= clockStep)) return "just now";
  return at > now ? `in ${text}` : `${text} ago`;
}

function distanceText(distance: number): string {
  if (distance < 5 * second) return "";
  if (distance < minute) return `${Math.floor(distance / second)} s`;
  if (distance < hour) return `${Math.floor(distance / minute)} min`;
  if (distance < day) return `${Math.floor(distance / hour)} h`;
  return `${Math.floor(distance / day)} d`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    const timeZone = zone === "local" ? undefined : zone;
    format = new Intl.DateTimeFormat("en-CA", {
      timeZone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit",
      hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3,
    });
    formats.set(zone, format);
  }
  return format;
}

/** "2026-11-15 16:49:23", with ".123" where asked for. An unknown zone counts as the browser's own. */
export function absoluteTime(instant: Instant | null | undefined, zone = "local", withMillis = false): string {
  const at = millis(instant);
  if (Number.isNaN(at)) return none;
  const parts: Record<string, string> = {};
  for (const { type, value } of formatOf(isTimeZone(zone) ? zone : "local").formatToParts(at)) parts[type] = value;
  const text = `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}:${parts.second}`;
  return withMillis ? `${text}.${parts.fractionalSecond}` : text;
}

export function isTimeZone(zone: string): boolean {
  if (zone === "local") return true;
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}
