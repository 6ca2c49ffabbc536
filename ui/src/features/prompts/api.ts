import { queryOptions } from "@tanstack/react-query";
import { figure, loadMetrics, type MetricsRow } from "@/shared/api/metrics";
import type { Project } from "@/shared/api/project";
import type { Condition } from "@/shared/filter/condition";
import type { components } from "@/shared/api/schema.d.ts";
import { promptsKey } from "@/shared/prompt/api";
import type { PromptSummary } from "./folders";

export type PromptVersion = components["schemas"]["PromptVersionPage"]["data"][number];
export type Dependent = components["schemas"]["PromptDependentPage"]["data"][number];
export type Prompt = components["schemas"]["FoundPrompt"];

const pageSize = 100;
/** Prompts that are read for a list; more are found by their name. */
export const mostPrompts = 1000;

/** The prompts of a project by name, up to mostPrompts, and how many there are. */
export const promptListQuery = (project: Project) =>
  queryOptions({
    queryKey: [...promptsKey(project), "list"],
    queryFn: async ({ signal }) => {
      const all: PromptSummary[] = [];
      for (let page = 1; ; page++) {
        // oxlint-disable-next-line no-await-in-loop -- the first page says whether there is a next one
        const { data } = await project.api.GET("/api/public/v2/prompts", { params: { query: { page: String(page), limit: String(pageSize) } } as never, signal });
        all.push(...(data?.data ?? []));
        const total = data?.meta.totalItems ?? 0;
        if (all.length >= Math.min(total, mostPrompts) || (data?.data.length ?? 0) === 0) return { prompts: all, total };
      }
    },
  });

/** The newest versions of a prompt, and how many there are. */
export const versionsQuery = (project: Project, name: string) =>
  queryOptions({
    queryKey: [...promptsKey(project), "versions", name],
    queryFn: async ({ signal }) => {
      const { data } = await project.api.GET("/api/public/prompt-versions", { params: { query: { name, limit: "100" } }, signal });
      return { versions: data?.data ?? [], total: data?.meta.totalItems ?? 0 };
    },
  });

export const dependentsQuery = (project: Project, name: string) =>
  queryOptions({
    queryKey: [...promptsKey(project), "dependents", name],
    queryFn: async ({ signal }) => {
      const { data } = await project.api.GET("/api/public/prompt-dependents", { params: { query: { name, limit: "100" } }, signal });
      return { dependents: data?.data ?? [], total: data?.meta.totalItems ?? 0 };
    },
  });

/** Moves a label to a version. */
export async function moveLabel({ api }: Project, name: string, version: number, label: string): Promise<void> {
  await api.PATCH("/api/public/v2/prompts/{promptName}/versions/{version}", { params: { path: { promptName: name, version: String(version) } } as never, body: { newLabels: [label] } });
}

/** Gives all versions of a prompt these tags. */
export async function tagPrompt({ api }: Project, name: string, tags: string[]): Promise<void> {
  await api.PUT("/api/public/prompt-tags", { body: { name, tags } });
}

/** Deletes one version, or all. */
export async function deletePrompt({ api }: Project, name: string, version?: number): Promise<void> {
  await api.DELETE("/api/public/v2/prompts/{promptName}", { params: { path: { promptName: name }, query: version === undefined ? {} : { version: String(version) } } as never });
}

export interface Span {
  from: string;
  to: string;
}

/** How often each prompt was used. */
export const usageQuery = (project: Project, { from, to }: Span) =>
  queryOptions({
    queryKey: ["prompt-usage", project.id, from, to],
    queryFn: async ({ signal }) => {
      const filters = [{ type: "null", column: "promptName", operator: "is not null", value: null } as const];
      const rows = await loadMetrics(project, { from, to, filters, dimensions: ["promptName"], metrics: ["count count"], largest: "count count" }, signal);
      return new Map(rows.map((row) => [String(row.promptName), figure(row, "count count")]));
    },
  });

export interface VersionUsage {
  version: number;
  observations: number;
  cost: number;
  p50: number | null;
  p95: number | null;
  tokens: number;
  /** Means of numeric scores, and how many there are. */
  scores: { name: string; mean: number; count: number }[];
}

/** What each version of a prompt did: observations, cost, latency and scores. */
export const versionUsageQuery = (project: Project, name: string, { from, to }: Span) =>
  queryOptions({
    queryKey: ["prompt-version-usage", project.id, name, from, to],
    queryFn: async ({ signal }): Promise<VersionUsage[]> => {
      const named = (column: string): Condition[] => [{ type: "string", column, operator: "=", value: name }];
      const [rows, scores] = await Promise.all([
        loadMetrics(project, { from, to, filters: named("promptName"), dimensions: ["promptVersion"], metrics: ["count count", "sum totalCost", "p50 latency", "p95 latency", "sum totalTokens"], largest: "count count" }, signal),
        loadMetrics(project, { view: "scores-numeric", from, to, filters: named("observationPromptName"), dimensions: ["observationPromptVersion", "name"], metrics: ["avg value", "count count"], largest: "count count" }, signal),
      ]);
      return rows.map((row) => usageOf(row, scores)).toSorted((a, b) => b.version - a.version);
    },
  });

function usageOf(row: MetricsRow, scores: readonly MetricsRow[]): VersionUsage {
  const version = Number(row.promptVersion);
  const known = (metric: string) => (row[metric.replace(" ", "_")] === null ? null : figure(row, metric));
  return {
    version, observations: figure(row, "count count"), cost: figure(row, "sum totalCost"), p50: known("p50 latency"), p95: known("p95 latency"), tokens: figure(row, "sum totalTokens"),
    scores: scores.filter((score) => Number(score.observationPromptVersion) === version).map((score) => ({ name: String(score.name), mean: figure(score, "avg value"), count: figure(score, "count count") })).toSorted((a, b) => a.name.localeCompare(b.name)),
  };
}
