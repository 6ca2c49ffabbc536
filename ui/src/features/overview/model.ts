import { figure, type MetricsRow, timeOf } from "@/shared/api/metrics";
import { formatCount, formatPercent } from "@/shared/lib/format";
import type { ChartSeries } from "@/shared/ui/Chart";

/** What a span of time adds up to. */
export interface Totals {
  observations: number;
  traces: number;
  /** Traces with at least one error. */
  failed: number;
  cost: number;
  /** In milliseconds, of roots; null without any. */
  p95: number | null;
}

/** From rows by "is a root", and rows by level. */
export function totalsOf(byRoot: readonly MetricsRow[], byLevel: readonly MetricsRow[]): Totals {
  const roots = byRoot.find(({ isRootObservation }) => isRootObservation === true);
  const traces = figure(roots, "uniq traceId");
  return {
    observations: byRoot.reduce((sum, row) => sum + figure(row, "count count"), 0),
    traces,
    failed: figure(byLevel.find(({ level }) => level === "ERROR"), "uniq traceId"),
    cost: byRoot.reduce((sum, row) => sum + figure(row, "sum totalCost"), 0),
    p95: traces === 0 ? null : figure(roots, "p95 latency"),
  };
}

export function errorRate({ failed, traces }: Totals): number | null {
  return traces === 0 ? null : Math.min(1, failed / traces);
}

/** From this many times as much on, a change is not told in percent. */
const manyTimes = 10;

/** The change against the time before, such as "+12.0 %" or "×24"; undefined when there is nothing to compare with. */
export function changeOf(now: number | null, before: number | null): string | undefined {
  if (now === null || before === null || before === 0) return undefined;
  return now / before < manyTimes ? signed(now / before - 1) : `×${formatCount(now / before)}`;
}

/** The change of a share in points of a hundred: "+0.4 points". */
export function pointsOf(now: number | null, before: number | null): string | undefined {
  if (now === null || before === null) return undefined;
  return signed(now - before).replace("%", "points");
}

function signed(share: number): string {
  const text = formatPercent(share);
  return share > 0 ? `+${text}` : text;
}

/** Whether more of it is bad, for the colour of a change. */
export function toneOf(now: number | null, before: number | null): "good" | "bad" | "neutral" {
  if (now === null || before === null || now === before) return "neutral";
  return now > before ? "bad" : "good";
}

/** A value for each bucket; buckets without rows have `empty`. */
export function courseOf(times: readonly number[], rows: readonly MetricsRow[], value: (row: MetricsRow) => number, empty: 0 | null): (number | null)[] {
  const sums = new Map<number, number>();
  for (const row of rows) sums.set(timeOf(row), (sums.get(timeOf(row)) ?? 0) + value(row));
  return times.map((time) => sums.get(time) ?? empty);
}

/** Models that have a line of their own; the others share one. */
export const topModels = 5;

/** Cost over time, the most expensive models first. Models without costs are left out. */
export function costByModel(times: readonly number[], rows: readonly MetricsRow[]): { series: ChartSeries[]; models: number } {
  const cost = (row: MetricsRow) => figure(row, "sum totalCost");
  const totals = new Map<string, number>();
  for (const row of rows) if (cost(row) > 0) totals.set(modelOf(row), (totals.get(modelOf(row)) ?? 0) + cost(row));
  const ranked = [...totals].toSorted(([, a], [, b]) => b - a).map(([model]) => model);
  const own = ranked.slice(0, ranked.length > topModels + 1 ? topModels : ranked.length);
  const series: ChartSeries[] = own.map((model) => ({ label: model, values: courseOf(times, rows.filter((row) => modelOf(row) === model), cost, 0) }));
  const rest = rows.filter((row) => !own.includes(modelOf(row)));
  if (own.length < ranked.length) series.push({ label: `${ranked.length - own.length} others`, values: courseOf(times, rest, cost, 0), color: "line-strong" });
  return { series, models: ranked.length };
}

function modelOf({ providedModelName }: MetricsRow): string {
  return typeof providedModelName === "string" && providedModelName !== "" ? providedModelName : "(no model)";
}
