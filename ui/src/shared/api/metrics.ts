import type { Condition } from "@/shared/filter/condition";
import type { Granularity } from "@/shared/lib/buckets";
import type { Project } from "./project";

export interface MetricsQuery {
  /** What is counted; observations unless given. */
  view?: "observations" | "scores-numeric";
  /** As "sum totalCost" or "p95 latency"; it is `sum_totalCost` in the answer. */
  metrics: readonly string[];
  dimensions?: readonly string[];
  filters?: readonly Condition[];
  granularity?: Granularity;
  from: string;
  to: string;
  /** The metric by which rows come, the largest first. Dimensions with very many values need one. */
  largest?: string;
  limit?: number;
}

/** One group of rows: dimensions, `time_dimension` where there are buckets, and metrics. */
export type MetricsRow = Readonly<Record<string, unknown>>;

/** The most rows that one answer has. */
export const mostRows = 1000;

/** Asks for aggregates of observations or scores. */
export async function loadMetrics({ api }: Project, query: MetricsQuery, signal: AbortSignal): Promise<MetricsRow[]> {
  const { view = "observations", metrics, dimensions = [], filters = [], granularity, from, to, largest, limit = mostRows } = query;
  const asked = {
    view,
    metrics: metrics.map((metric) => {
      const [aggregation, measure] = metric.split(" ");
      return { aggregation, measure };
    }),
    dimensions: dimensions.map((field) => ({ field })),
    filters,
    ...(granularity === undefined ? {} : { timeDimension: { granularity } }),
    ...(largest === undefined ? {} : { orderBy: [{ field: largest.replace(" ", "_"), direction: "desc" }] }),
    fromTimestamp: from,
    toTimestamp: to,
    config: { row_limit: limit },
  };
  const { data } = await api.GET("/api/public/v2/metrics", { params: { query: { query: JSON.stringify(asked) } }, signal });
  return data?.data ?? [];
}

/** A metric as a number; what is none counts as 0. */
export function figure(row: MetricsRow | undefined, metric: string): number {
  const value = Number(row?.[metric.replace(" ", "_")] ?? 0);
  return Number.isFinite(value) ? value : 0;
}

/** The beginning of a row's bucket, in seconds since 1970. */
export function timeOf(row: MetricsRow): number {
  return Date.parse(String(row.time_dimension)) / 1000;
}
