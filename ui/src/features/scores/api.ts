import { queryOptions } from "@tanstack/react-query";
import type { Project } from "@/shared/api/project";
import type { components, paths } from "@/shared/api/schema.d.ts";
import type { Condition } from "@/shared/filter/condition";
import type { Page } from "@/shared/table/useRowPages";

export type Score = components["schemas"]["Score"];
export type ScoreSide = components["schemas"]["ScoreSide"];
export type ScoreAgreement = components["schemas"]["ScoreAgreement"];
export type ScoreKind = paths["/api/public/score-kinds"]["get"]["responses"][200]["content"]["application/json"]["data"][number];
export type Analytics = paths["/api/public/score-analytics"]["get"]["responses"][200]["content"]["application/json"];

/** Which scores: those of a time that meet all conditions. */
export interface ScoreQuery {
  from: string;
  to: string;
  conditions: readonly Condition[];
}

/** The most that the server gives at once. */
const pageSize = 100;

export async function loadScores({ api }: Project, { from, to, conditions }: ScoreQuery, cursor: string | undefined, signal: AbortSignal): Promise<Page<Score>> {
  const query = {
    fields: "details,subject,annotation", fromTimestamp: from, toTimestamp: to, limit: pageSize,
    ...(conditions.length > 0 ? { filter: JSON.stringify(conditions) } : {}), ...(cursor === undefined ? {} : { cursor }),
  };
  const { data } = await api.GET("/api/public/v3/scores", { params: { query }, signal });
  return { list: data!.data, cursor: data!.meta.cursor ?? null };
}

export async function deleteScore({ api }: Project, scoreId: string): Promise<void> {
  await api.DELETE("/api/public/scores/{scoreId}", { params: { path: { scoreId } } });
}

export const kindsQuery = ({ id, api }: Project, from: string, to: string) =>
  queryOptions({
    queryKey: ["score-kinds", id, from, to],
    staleTime: Number.POSITIVE_INFINITY, // the key names the moment
    queryFn: async ({ signal }): Promise<ScoreKind[]> =>
      (await api.GET("/api/public/score-kinds", { params: { query: { fromTimestamp: from, toTimestamp: to, limit: "500" } }, signal })).data!.data,
  });

export interface AnalyticsQuery {
  from: string;
  to: string;
  a: readonly Condition[];
  b: readonly Condition[] | null;
}

export const analyticsQuery = ({ id, api }: Project, asked: AnalyticsQuery) =>
  queryOptions({
    queryKey: ["score-analytics", id, asked],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Analytics> => {
      const { from, to, a, b } = asked;
      const query = { fromTimestamp: from, toTimestamp: to, a: JSON.stringify(a), ...(b === null ? {} : { b: JSON.stringify(b) }) };
      return (await api.GET("/api/public/score-analytics", { params: { query }, signal })).data!;
    },
  });
