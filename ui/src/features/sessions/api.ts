import { figure, loadMetrics } from "@/shared/api/metrics";
import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";
import type { Condition } from "@/shared/filter/condition";
import { type Turn, windowOf } from "./turns";

export type Observation = components["schemas"]["Observation"];
export type Score = components["schemas"]["Score"];

/** What the list of sessions does not say itself. */
export interface SessionExtras {
  environments: string[];
  scores: Score[];
}

/** Environments and scores of some sessions, by two requests for all of them. */
export async function loadExtras(project: Project, ids: readonly string[], range: { from: string; to: string }, signal: AbortSignal): Promise<ReadonlyMap<string, SessionExtras>> {
  const [rows, scores] = await Promise.all([
    loadMetrics(project, { ...range, metrics: ["count count"], dimensions: ["sessionId", "environment"], filters: [anyOf("sessionId", ids)], largest: "count count" }, signal),
    loadScores(project, { sessionId: ids.join(",") }, signal),
  ]);
  const extras = new Map(ids.map((id): [string, SessionExtras] => [id, { environments: [], scores: [] }]));
  for (const { sessionId, environment } of rows) extras.get(String(sessionId))?.environments.push(String(environment));
  for (const score of scores) extras.get(score.subject?.id ?? "")?.scores.push(score);
  return extras;
}

/** The newest 100 scores of sessions, or of traces and their observations. */
export async function loadScores({ api }: Project, about: { sessionId: string } | { traceId: string }, signal: AbortSignal): Promise<Score[]> {
  const { data } = await api.GET("/api/public/v3/scores", { params: { query: { ...about, fields: "subject", limit: 100 } }, signal });
  return data?.data ?? [];
}

function anyOf(column: string, value: readonly string[]): Condition {
  return { type: "stringOptions", column, operator: "any of", value: [...value] };
}

const equals = (column: string, value: string): Condition => ({ type: "string", column, operator: "=", value });

/** Turns of one read. Sessions can have thousands; earlier ones come when somebody asks. */
export const turnsPerRead = 500;

export interface TurnRows {
  /** Roots of the session's traces, the newest first. */
  rows: Observation[];
  /** There are earlier ones. */
  more: boolean;
}

/** The newest turns of a session, without their texts. */
export async function loadTurns({ api }: Project, sessionId: string, reads: number, signal: AbortSignal): Promise<TurnRows> {
  const rows: Observation[] = [];
  let cursor: string | undefined;
  for (let read = 0; read < reads; read++) {
    const query = { filter: JSON.stringify([equals("sessionId", sessionId), { type: "boolean", column: "isRootObservation", operator: "=", value: true }]), fields: "core,basic,metrics,trace_context", limit: turnsPerRead, cursor };
    const { data } = await api.GET("/api/public/v2/observations", { params: { query }, signal });
    rows.push(...(data?.data ?? []));
    cursor = data?.meta.cursor;
    if (cursor === undefined) break;
  }
  return { rows, more: cursor !== undefined };
}

/** What the observations of a turn add up to. */
export interface TurnFigures {
  cost: number;
  tokens: number;
  errors: number;
}

/** Figures by trace, for the session's observations in a time. */
export async function loadFigures(project: Project, sessionId: string, range: { from: string; to: string }, signal: AbortSignal): Promise<ReadonlyMap<string, TurnFigures>> {
  const ask = (metrics: string[], extra: Condition[]) => loadMetrics(project, { ...range, metrics, dimensions: ["traceId"], filters: [equals("sessionId", sessionId), ...extra], largest: metrics[0] }, signal);
  const [sums, errors] = await Promise.all([ask(["count count", "sum totalCost", "sum totalTokens"], []), ask(["count count"], [anyOf("level", ["ERROR"])])]);
  const failed = new Map(errors.map((row) => [row.traceId, figure(row, "count count")]));
  return new Map(sums.map((row) => [String(row.traceId), { cost: figure(row, "sum totalCost"), tokens: figure(row, "sum totalTokens"), errors: failed.get(row.traceId) ?? 0 }]));
}

/** The beginning of what went in and came out. */
export interface Preview {
  input: string | null;
  output: string | null;
  inputMore: boolean;
  outputMore: boolean;
}

/** What is shown of a turn beside its figures. */
export interface TurnContent {
  preview: Preview | undefined;
  scores: Score[];
  /** Tools that were called, the most used first. */
  tools: { name: string; calls: number }[];
}

/** The content of some turns that follow each other, by three requests for all of them; by trace. */
export async function loadContent(project: Project, turns: readonly Turn[], signal: AbortSignal): Promise<ReadonlyMap<string, TurnContent>> {
  const range = windowOf(turns);
  const traceIds = turns.map(({ traceId }) => traceId);
  const [previews, scores, tools] = await Promise.all([
    project.api.GET("/api/public/previews", { params: { query: { ids: turns.map(({ id }) => id).join(","), fromStartTime: range.from, toStartTime: range.to } }, signal }),
    loadScores(project, { traceId: traceIds.join(",") }, signal),
    loadMetrics(project, { ...range, metrics: ["count count"], dimensions: ["traceId", "name"], filters: [anyOf("traceId", traceIds), anyOf("type", ["TOOL"])], largest: "count count" }, signal),
  ]);
  const content = new Map(traceIds.map((id): [string, TurnContent] => [id, { preview: undefined, scores: [], tools: [] }]));
  for (const preview of previews.data?.data ?? []) {
    const found = content.get(preview.traceId ?? "");
    if (found !== undefined) found.preview = preview;
  }
  for (const score of scores) content.get(traceOf(score))?.scores.push(score);
  for (const row of tools) content.get(String(row.traceId))?.tools.push({ name: String(row.name ?? "tool"), calls: figure(row, "count count") });
  return content;
}

function traceOf({ subject }: Score): string {
  return (subject?.kind === "observation" ? subject.traceId : subject?.id) ?? "";
}

/** The calls of tools in a trace, in the order in which they started; at most 100. */
export async function loadToolCalls({ api }: Project, traceId: string, signal: AbortSignal): Promise<Observation[]> {
  const { data } = await api.GET("/api/public/v2/observations", { params: { query: { traceId, type: "TOOL", fields: "core,basic,metrics", limit: 100 } }, signal });
  return (data?.data ?? []).toReversed();
}
