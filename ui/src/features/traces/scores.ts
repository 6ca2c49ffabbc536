import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";
import { type Observation, scoreKey } from "./api";

type Score = components["schemas"]["Score"];

/** What a row was given under one name: the newest value, or the mean of numbers, and how many there are. */
export interface ScoreValue {
  value: string | number | boolean;
  count: number;
}

/** By scoreKey. */
export type ScoreMap = ReadonlyMap<string, ScoreValue>;

const pageSize = 100;
const maxPages = 10;

/** Scores of rows; a root has those of its trace, too. */
export async function loadScores(project: Project, rows: readonly Observation[], names: readonly string[], signal: AbortSignal): Promise<ScoreMap> {
  const inTraces = rows.filter(({ traceId }) => traceId !== null);
  const [roots, others] = [inTraces.filter(({ isRootObservation }) => isRootObservation), inTraces.filter(({ isRootObservation }) => !isRootObservation)];
  // Apart: traces as a whole may have far more scores than the rows that are asked for.
  const found = await Promise.all([
    roots.length === 0 ? [] : readAll(project, { traceId: idsOf(roots, "traceId"), name: names.join(",") }, signal),
    others.length === 0 ? [] : readAll(project, { traceId: idsOf(others, "traceId"), observationId: idsOf(others, "id"), name: names.join(",") }, signal),
  ]);
  return mapScores(rows, found.flat());
}

const idsOf = (rows: readonly Observation[], key: "id" | "traceId") => [...new Set(rows.map((row) => row[key] ?? ""))].join(",");

async function readAll({ api }: Project, query: { traceId: string; observationId?: string; name: string }, signal: AbortSignal): Promise<Score[]> {
  const scores: Score[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    // oxlint-disable-next-line no-await-in-loop -- a page names the next one
    const { data } = await api.GET("/api/public/v3/scores", { params: { query: { ...query, fields: "core,subject", limit: pageSize, cursor } }, signal });
    scores.push(...(data?.data ?? []));
    cursor = data?.meta.cursor ?? undefined;
    if (cursor === undefined) break;
  }
  return scores;
}

/** Scores, newest first, by the rows that they are about. */
export function mapScores(rows: readonly Observation[], scores: readonly Score[]): ScoreMap {
  const rootOf = new Map(rows.flatMap((row) => (row.isRootObservation && row.traceId !== null ? [[row.traceId, row] as const] : [])));
  const values = new Map<string, Score["value"][]>();
  for (const { name, value, subject } of scores) {
    const about = subject?.kind === "observation" ? { id: subject.id, traceId: subject.traceId ?? null } : subject?.kind === "trace" ? rootOf.get(subject.id) : undefined;
    if (about === undefined) continue;
    const key = scoreKey(about, name);
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  return new Map([...values].map(([key, list]) => [key, { value: one(list), count: list.length }]));
}

function one(values: readonly Score["value"][]): ScoreValue["value"] {
  const numbers = values.filter((value) => typeof value === "number");
  return numbers.length === values.length ? numbers.reduce((sum, value) => sum + value, 0) / numbers.length : (values[0] as ScoreValue["value"]);
}
