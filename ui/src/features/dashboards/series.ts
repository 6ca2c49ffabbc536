import { type MetricsRow, timeOf } from "@/shared/api/metrics";
import { type ChartSeries, palette } from "@/shared/ui/Chart";
import { isAdditive, keyOf, labelOf, type Metric, type View } from "./catalog";
import type { TileQuery } from "./model";

/** A series, and the value of the dimension that it stands for; undefined: it stands for all, or for the rest. */
export type Course = ChartSeries & { value?: unknown };

export interface Courses {
  series: Course[];
  /** How many values the dimension has in this time. */
  of: number;
}

/** Series that have a colour of their own; eight are told apart. */
const topSeries = 7;

const fixedColors: Record<string, string> = {
  "level ERROR": "danger", "level WARNING": "warn", "level DEFAULT": "chain", "level DEBUG": "line-strong",
  "type GENERATION": "generation", "type AGENT": "agent", "type CHAIN": "chain", "type EVALUATOR": "evaluator", "type RETRIEVER": "retriever", "type EMBEDDING": "embedding",
  "type GUARDRAIL": "guardrail", "type TOOL": "tool", "type SPAN": "span", "type EVENT": "event",
};

/** Colours belong to what is shown, not to its rank: the same name has the same colour in every chart, unless two of one chart share it. */
export function colorsOf(dimension: string, names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let at = hash(name) % palette.length;
    for (let tries = 0; tries < palette.length && taken.has(palette[at]!); tries++) at = (at + 1) % palette.length;
    const color = fixedColors[`${dimension} ${name}`] ?? palette[at]!;
    taken.add(color);
    return color;
  });
}

function hash(text: string): number {
  let sum = 7;
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) % 1_000_003;
  return sum;
}

/** A value of a dimension in words. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined || value === "") return "(none)";
  if (Array.isArray(value)) return value.length === 0 ? "(none)" : value.join(", ");
  return String(value as string | number | boolean);
}

/** A metric of a row; null where there was nothing to aggregate. */
export function valueOf(row: MetricsRow | undefined, metric: Metric): number | null {
  const value = row?.[keyOf(metric)];
  if (value === null || value === undefined) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

function groupBy(rows: readonly MetricsRow[], nameOfRow: (row: MetricsRow) => string): Map<string, MetricsRow[]> {
  const groups = new Map<string, MetricsRow[]>();
  for (const row of rows) groups.set(nameOfRow(row), [...(groups.get(nameOfRow(row)) ?? []), row]);
  return groups;
}

/** What is drawn over time: a series per metric, or per value of the dimension, the largest first. What has no series of its own is summed up where that means something. */
export function coursesOf(query: TileQuery, times: readonly number[], rows: readonly MetricsRow[]): Courses {
  const dimension = query.dimensions?.[0]?.field;
  if (dimension === undefined) {
    return { series: query.metrics.map((metric) => ({ label: labelOf(query.view, metric), values: along(times, rows, metric) })), of: query.metrics.length };
  }
  const metric = query.metrics[0]!;
  const groups = groupBy(rows, (row) => nameOf(row[dimension]));
  const weight = (group: readonly MetricsRow[]) => group.reduce((sum, row) => sum + (valueOf(row, metric) ?? 0), 0) / (isAdditive(metric) ? 1 : group.length);
  const ranked = [...groups].filter(([, group]) => !isAdditive(metric) || weight(group) > 0).toSorted(([, a], [, b]) => weight(b) - weight(a));
  const own = ranked.slice(0, ranked.length > topSeries + 1 ? topSeries : ranked.length);
  const colors = colorsOf(dimension, own.map(([name]) => name));
  const series: Course[] = own.map(([name, group], index) => ({ label: name, values: along(times, group, metric), color: colors[index], value: group[0]![dimension] ?? null }));
  const rest = ranked.slice(own.length).flatMap(([, group]) => group);
  if (rest.length > 0 && isAdditive(metric)) series.push({ label: `${ranked.length - own.length} others`, values: along(times, rest, metric), color: "line-strong" });
  return { series, of: ranked.length };
}

function along(times: readonly number[], rows: readonly MetricsRow[], metric: Metric): (number | null)[] {
  const values = new Map<number, number>();
  for (const row of rows) {
    const value = valueOf(row, metric);
    if (value !== null) values.set(timeOf(row), (values.get(timeOf(row)) ?? 0) + value);
  }
  return times.map((time) => values.get(time) ?? (isAdditive(metric) ? 0 : null));
}

/** What is left out, in words; undefined when nothing is. */
export function noteOf({ series, of }: Courses, dimension: string | undefined, cut: boolean): string | undefined {
  const own = series.filter(({ value }) => value !== undefined).length;
  const notes = [dimension !== undefined && own < of && `the top ${own} of ${of}`, cut && "smallest values left out"].filter(Boolean);
  return notes.length === 0 ? undefined : notes.join(", ");
}

export interface Pivot {
  head: string;
  columns: { label: string; metric: Metric; value?: unknown }[];
  /** Each with its value of the first dimension, or of both. */
  rows: { key: string; label: string; values: unknown[]; cells: (number | null)[] }[];
}

/** With one dimension a column per metric; with two, the values of the second are columns of the first metric. */
export function pivotOf(view: View, query: TileQuery, rows: readonly MetricsRow[], headOf: (field: string) => string): Pivot {
  const [down, across] = (query.dimensions ?? []).map(({ field }) => field);
  const groups = [...groupBy(rows, (row) => nameOf(row[down!]))];
  const crossed = across === undefined ? [] : [...groupBy(rows, (row) => nameOf(row[across]))];
  const single = across !== undefined && query.metrics.length === 1;
  const columns = single
    ? crossed.map(([name, group]) => ({ label: name, metric: query.metrics[0]!, value: group[0]![across!] ?? null }))
    : query.metrics.map((metric) => ({ label: labelOf(view, metric), metric }));
  if (!single && across !== undefined) {
    const flat = rows.map((row) => ({ key: `${nameOf(row[down!])} ${nameOf(row[across])}`, label: `${nameOf(row[down!])}, ${nameOf(row[across])}`, values: [row[down!] ?? null, row[across] ?? null], cells: columns.map(({ metric }) => valueOf(row, metric)) }));
    return { head: `${headOf(down!)}, ${headOf(across)}`, columns, rows: flat };
  }
  const cellsOf = (group: readonly MetricsRow[]) => columns.map((column) => valueOf(single ? group.find((row) => nameOf(row[across!]) === column.label) : group[0], column.metric));
  return { head: headOf(down!), columns, rows: groups.map(([name, group]) => ({ key: name, label: name, values: [group[0]![down!] ?? null], cells: cellsOf(group) })) };
}
