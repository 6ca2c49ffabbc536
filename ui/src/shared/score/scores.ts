import { queryOptions } from "@tanstack/react-query";
import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";
import type { Subject } from "./subject";

export type Score = components["schemas"]["Score"];
export type ScoreConfig = components["schemas"]["ScoreConfig"];
export type ScoreType = Score["dataType"];

/** What a form has of a score. */
export interface Draft {
  /** The config that it is held to; undefined for one without. */
  config: ScoreConfig | undefined;
  name: string;
  dataType: ScoreType;
  /** As typed or picked; a number is written as one. */
  value: string;
  comment: string;
}

const mostScores = 100;

/** The newest scores of an observation, or of a trace and everything in it. */
export function scoresQuery({ id, api }: Project, { traceId, observationId }: Subject) {
  return queryOptions({
    queryKey: ["scores", id, traceId, observationId ?? null],
    queryFn: async ({ signal }): Promise<Score[]> => {
      const query = { traceId, ...(observationId === undefined ? {} : { observationId }), fields: "details,subject,annotation", limit: mostScores };
      return (await api.GET("/api/public/v3/scores", { params: { query }, signal })).data?.data ?? [];
    },
  });
}

/** The rules for scores that are still in use. */
export function configsQuery({ id, api }: Project) {
  return queryOptions({
    queryKey: ["score-configs", id, "in use"],
    queryFn: async ({ signal }): Promise<ScoreConfig[]> => ((await api.GET("/api/public/score-configs", { params: { query: { limit: "100" } }, signal })).data?.data ?? []).filter(({ isArchived }) => !isArchived),
  });
}

/** What is wrong with a draft, by field; empty when it can be sent. */
export function problemsOf({ config, name, dataType, value }: Draft): { name?: string; value?: string } {
  const problems: { name?: string; value?: string } = {};
  if (config === undefined && dataType !== "CORRECTION" && name.trim() === "") problems.name = "Give the score a name.";
  if (value.trim() === "") problems.value = dataType === "CORRECTION" ? "Say what the output should have been." : "Give a value.";
  else if (dataType === "NUMERIC") {
    const number = Number(value);
    if (!Number.isFinite(number)) problems.value = "Give a number.";
    else if (number < (config?.minValue ?? -Infinity) || number > (config?.maxValue ?? Infinity)) problems.value = rangeOf(config);
  } else if (dataType === "TEXT" && value.length > longestText) problems.value = `At most ${longestText} characters.`;
  return problems;
}

export const longestText = 500;

export function rangeOf(config: ScoreConfig | undefined): string {
  const { minValue = null, maxValue = null } = config ?? {};
  if (minValue !== null && maxValue !== null) return `A number from ${minValue} to ${maxValue}.`;
  if (minValue !== null) return `A number from ${minValue} up.`;
  return maxValue === null ? "A number." : `A number up to ${maxValue}.`;
}

/** Writes a score down, and gives it as it will be read about a second later. */
export async function createScore({ id, api }: Project, { traceId, observationId }: Subject, { config, name, dataType, value, comment }: Draft): Promise<Score> {
  const sent = dataType === "NUMERIC" || dataType === "BOOLEAN" ? Number(value) : value;
  const source = config === undefined && dataType !== "CORRECTION" ? ("API" as const) : ("ANNOTATION" as const); // what the server holds people to
  const shownName = dataType === "CORRECTION" ? "output" : (config?.name ?? name.trim());
  const body = { traceId, observationId, name: shownName, value: sent, dataType, configId: config?.id, comment: comment.trim() || undefined, source };
  const { data } = await api.POST("/api/public/scores", { body });
  const now = new Date().toISOString();
  const subject = observationId === undefined ? { kind: "trace" as const, id: traceId } : { kind: "observation" as const, id: observationId, traceId };
  return {
    id: data !== undefined && "id" in data ? data.id : now, projectId: id, name: shownName, dataType, value: dataType === "BOOLEAN" ? sent === 1 : sent, source,
    timestamp: now, createdAt: now, updatedAt: now, environment: "default", comment: comment.trim() || null, configId: config?.id ?? null, subject,
  };
}
