import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { loadSessions, loadUsers } from "@/shared/activity/api";
import { figure, loadMetrics, timeOf } from "@/shared/api/metrics";
import { type Project, useProject } from "@/shared/api/project";
import type { Condition } from "@/shared/filter/condition";
import { bucketsOf, granularityOf } from "@/shared/lib/buckets";

/** How many of the latest traces and sessions a profile shows. */
export const latest = 8;

const ofUser = (userId: string): Condition => ({ type: "string", column: "userId", operator: "=", value: userId });

async function loadCourse(project: Project, userId: string, from: string, to: string, signal: AbortSignal) {
  const granularity = granularityOf(from, to);
  const times = bucketsOf(from, to, granularity);
  const rows = await loadMetrics(project, { from, to, granularity, filters: [ofUser(userId)], metrics: ["sum totalCost", "sum totalTokens"] }, signal);
  const byTime = new Map(rows.map((row) => [timeOf(row), row]));
  const course = (metric: string) => times.map((time) => figure(byTime.get(time), metric));
  return { times, cost: course("sum totalCost"), tokens: course("sum totalTokens") };
}

async function loadTraces({ api }: Project, userId: string, from: string, to: string, signal: AbortSignal) {
  const query = { fromStartTime: from, toStartTime: to, userId, isRootObservation: "true" as const, fields: "core,basic,metrics,trace_context", limit: latest };
  const { data } = await api.GET("/api/public/v2/observations", { params: { query }, signal });
  return data?.data ?? [];
}

/** What a profile shows of a user's time. */
export function useUser(userId: string, from: string, to: string) {
  const project = useProject();
  const options = <T,>(name: string, load: (signal: AbortSignal) => Promise<T>) => ({
    queryKey: ["user", name, project.id, userId, from, to], placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }: { signal: AbortSignal }) => load(signal),
  });
  const activity = { from, to, conditions: [ofUser(userId)], prefix: "", orderBy: "lastSeen.desc" };
  return {
    figures: useQuery(options("figures", async (signal) => (await loadUsers(project, activity, undefined, signal, 1)).list[0] ?? null)),
    course: useQuery(options("course", (signal) => loadCourse(project, userId, from, to, signal))),
    traces: useQuery(options("traces", (signal) => loadTraces(project, userId, from, to, signal))),
    sessions: useQuery(options("sessions", (signal) => loadSessions(project, activity, undefined, signal, latest))),
  };
}
