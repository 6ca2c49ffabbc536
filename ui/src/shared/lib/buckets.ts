/** How the server divides time for a chart; all of it in UTC. */
export type Granularity = "minute" | "hour" | "day" | "week" | "month";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The steps that a range is shown in: enough of them to see a course, few enough to be read. */
export function granularityOf(from: string, to: string): Granularity {
  const length = Date.parse(to) - Date.parse(from);
  if (length < 2 * hour) return "minute";
  if (length < 3 * day) return "hour";
  if (length < 60 * day) return "day";
  return length < 365 * day ? "week" : "month";
}

/** Where every bucket of a range begins, in seconds since 1970: the first one holds `from`, the last one what is just before `to`. */
export function bucketsOf(from: string, to: string, granularity: Granularity): number[] {
  const end = Date.parse(to);
  const starts: number[] = [];
  for (let at = floor(Date.parse(from), granularity); at < end; at = next(at, granularity)) starts.push(at / 1000);
  return starts;
}

function floor(at: number, granularity: Granularity): number {
  const date = new Date(at);
  switch (granularity) {
    case "minute":
      return at - (at % minute);
    case "hour":
      return at - (at % hour);
    case "day":
      return at - (at % day);
    case "week":
      return at - (at % day) - ((date.getUTCDay() + 6) % 7) * day; // from Monday
    default:
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  }
}

const lengths = { minute, hour, day, week: 7 * day };

function next(at: number, granularity: Granularity): number {
  if (granularity !== "month") return at + lengths[granularity];
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
