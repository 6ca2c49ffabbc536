import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { loadUsers } from "@/shared/activity/api";
import { figure, loadMetrics, mostRows } from "@/shared/api/metrics";
import { type Project, useProject } from "@/shared/api/project";
import type { Condition } from "@/shared/filter/condition";
import { bucketsOf, granularityOf } from "@/shared/lib/buckets";
import type { ChartSeries } from "@/shared/ui/Chart";
import { costByModel, courseOf, type Totals, totalsOf } from "./model";

/** The time that the overview is about, and the environment; "" is all of them. */
export interface Scope {
  from: string;
  to: string;
  env: string;
}

const inEnv = (env: string): Condition[] => (env === "" ? [] : [{ type: "stringOptions", column: "environment", operator: "any of", value: [env] }]);
const isError: Condition = { type: "stringOptions", column: "level", operator: "any of", value: ["ERROR"] };

async function loadTotals(project: Project, { from, to, env }: Scope, signal: AbortSignal): Promise<Totals> {
  const ask = (dimension: string, metrics: string[]) => loadMetrics(project, { from, to, filters: inEnv(env), dimensions: [dimension], metrics }, signal);
  const [byRoot, byLevel] = await Promise.all([ask("isRootObservation", ["count count", "sum totalCost", "p95 latency", "uniq traceId"]), ask("level", ["uniq traceId"])]);
  return totalsOf(byRoot, byLevel);
}

/** As long a time, right before. */
function before({ from, to, env }: Scope): Scope {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  return { from: new Date(start - (end - start)).toISOString(), to: new Date(start - 1).toISOString(), env };
}

/** What charts over time show; their buckets come along, so that a chart never mixes two ranges. */
export interface Courses {
  times: number[];
  tokens: ChartSeries[];
  latency: ChartSeries[];
}

async function loadCourses(project: Project, { from, to, env }: Scope, signal: AbortSignal): Promise<Courses> {
  const granularity = granularityOf(from, to);
  const times = bucketsOf(from, to, granularity);
  const metrics = ["count count", "sum inputTokens", "sum outputTokens", "p50 latency", "p95 latency"];
  const rows = await loadMetrics(project, { from, to, granularity, filters: inEnv(env), dimensions: ["isRootObservation"], metrics }, signal);
  const roots = rows.filter((row) => row.isRootObservation === true && figure(row, "count count") > 0);
  const course = (label: string, metric: string) => ({ label, values: courseOf(times, rows, (row) => figure(row, metric), 0) });
  const latency = (label: string, metric: string) => ({ label, values: courseOf(times, roots, (row) => figure(row, metric), null) });
  return { times, tokens: [course("Input", "sum inputTokens"), course("Output", "sum outputTokens")], latency: [latency("p50", "p50 latency"), latency("p95", "p95 latency")] };
}

async function loadCosts(project: Project, { from, to, env }: Scope, signal: AbortSignal) {
  const granularity = granularityOf(from, to);
  const times = bucketsOf(from, to, granularity);
  const rows = await loadMetrics(project, { from, to, granularity, filters: inEnv(env), dimensions: ["providedModelName"], metrics: ["sum totalCost"], largest: "sum totalCost" }, signal);
  return { times, ...costByModel(times, rows), cut: rows.length === mostRows };
}

const levelSeries = [
  { level: "DEFAULT", label: "Default", color: "chain" },
  { level: "DEBUG", label: "Debug", color: "line-strong" },
  { level: "WARNING", label: "Warning", color: "warn" },
  { level: "ERROR", label: "Error", color: "danger" },
] as const;

async function loadLevels({ api }: Project, { from, to, env }: Scope, signal: AbortSignal) {
  const query = { fromStartTime: from, toStartTime: to, isRootObservation: "true" as const, buckets: "48", ...(env === "" ? {} : { environment: [env] }) };
  const { data } = await api.GET("/api/public/histogram", { params: { query }, signal });
  const buckets = data?.data ?? [];
  const series = levelSeries.map(({ level, label, color }) => ({ label, color, values: buckets.map(({ levels }) => levels?.[level] ?? 0) }));
  return { times: buckets.map(({ time }) => Date.parse(time) / 1000), series: series.filter(({ label, values }) => label === "Default" || values.some((value) => value > 0)), since: data?.meta.since };
}

async function loadErrorNames(project: Project, { from, to, env }: Scope, signal: AbortSignal) {
  const rows = await loadMetrics(project, { from, to, filters: [isError, ...inEnv(env)], dimensions: ["name"], metrics: ["count count"], largest: "count count" }, signal);
  return rows.map((row) => ({ name: typeof row.name === "string" ? row.name : "", count: figure(row, "count count") }));
}

async function loadLatestErrors({ api }: Project, { from, to, env }: Scope, signal: AbortSignal) {
  const query = { fromStartTime: from, toStartTime: to, level: "ERROR" as const, fields: "core,basic,metrics,trace_context", limit: 6, ...(env === "" ? {} : { environment: [env] }) };
  const { data } = await api.GET("/api/public/v2/observations", { params: { query }, signal });
  return data?.data ?? [];
}

/** Everything that the overview asks for. A range or an environment that was asked for stays on screen until the next has arrived. */
export function useOverview(scope: Scope) {
  const project = useProject();
  const options = <T,>(name: string, load: (signal: AbortSignal) => Promise<T>) => ({
    queryKey: ["overview", name, project.id, scope], placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }: { signal: AbortSignal }) => load(signal),
  });
  const top = { from: scope.from, to: scope.to, conditions: inEnv(scope.env), prefix: "", orderBy: "totalCost.desc" };
  return {
    now: useQuery(options("totals", (signal) => loadTotals(project, scope, signal))),
    before: useQuery(options("totals-before", (signal) => loadTotals(project, before(scope), signal))),
    levels: useQuery(options("levels", (signal) => loadLevels(project, scope, signal))),
    costs: useQuery(options("costs", (signal) => loadCosts(project, scope, signal))),
    courses: useQuery(options("courses", (signal) => loadCourses(project, scope, signal))),
    errorNames: useQuery(options("error-names", (signal) => loadErrorNames(project, scope, signal))),
    users: useQuery(options("users", (signal) => loadUsers(project, top, undefined, signal, 8))),
    errors: useQuery(options("errors", (signal) => loadLatestErrors(project, scope, signal))),
  };
}
