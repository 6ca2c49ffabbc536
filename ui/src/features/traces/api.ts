import { fetchRaw } from "@/shared/api/client";
import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";
import type { Known } from "@/shared/filter/complete";
import type { Condition } from "@/shared/filter/condition";
import { type Page, pageSize } from "@/shared/table/useRowPages";

export type Observation = components["schemas"]["Observation"];

/** What the scores of a name of a row are kept under. */
export const scoreKey = (row: Pick<Observation, "id" | "traceId">, name: string) => `${row.traceId ?? ""}/${row.id}/${name}`;

/** What a list asks for: rows of a time that meet all conditions and contain the words. */
export interface ListQuery {
  from: string;
  to: string;
  conditions: readonly Condition[];
  search: string;
}

/** How a question is sent. All requests of one list share an id, by which the server can be told to stop them. */
export interface Sent {
  signal: AbortSignal;
  requestId?: string;
}

const headersOf = ({ requestId }: Sent): Record<string, string> => (requestId === undefined ? {} : { "X-Request-Id": requestId });

function parameters({ from, to, conditions, search }: ListQuery) {
  return {
    fromStartTime: from,
    toStartTime: to,
    ...(conditions.length > 0 ? { filter: JSON.stringify(conditions) } : {}),
    ...(search === "" ? {} : { search }),
  };
}

export async function loadRows({ api }: Project, query: ListQuery, fields: string, cursor: string | undefined, sent: Sent, limit = pageSize): Promise<Page<Observation>> {
  const { data } = await api.GET("/api/public/v2/observations", { params: { query: { ...parameters(query), fields, limit, cursor } }, signal: sent.signal, headers: headersOf(sent) });
  return { list: data?.data ?? [], cursor: data?.meta.cursor ?? null };
}

/** Where its time is known, the server need not look through all of the project. */
export async function loadRow({ api }: Project, { id, startTime }: { id: string; startTime?: string }, fields: string, signal?: AbortSignal): Promise<Observation | null> {
  const filter = JSON.stringify([{ type: "string", column: "id", operator: "=", value: id }]);
  const around = startTime === undefined ? {} : { fromStartTime: startTime, toStartTime: new Date(Date.parse(startTime) + 1).toISOString() };
  const { data } = await api.GET("/api/public/v2/observations", { params: { query: { filter, fields, limit: 1, ...around } }, signal });
  return data?.data[0] ?? null;
}

const texts = new Set(["input", "output", "hasInput", "hasOutput"]);

/** What counts can take into account: they do not look at inputs and outputs. */
export function countable(query: ListQuery): { query: ListQuery; whole: boolean } {
  const conditions = query.conditions.filter(({ column }) => !texts.has(column));
  return { query: { ...query, conditions, search: "" }, whole: query.search === "" && conditions.length === query.conditions.length };
}

export interface Counted {
  rows: number;
  /** Only the newest rows were counted. */
  sampled: boolean;
}

export interface Facets extends Counted {
  values: Known;
}

async function getJson<T>(project: Project, path: string, query: Record<string, string>, sent: Sent): Promise<T> {
  const response = await fetchRaw(project.id, `${path}?${new URLSearchParams(query)}`, { signal: sent.signal, headers: headersOf(sent) });
  return (await response.json()) as T;
}

export async function loadFacets(project: Project, query: ListQuery, fields: readonly string[], limit: number, sent: Sent): Promise<Facets> {
  const answer = await getJson<{ data: Known; meta: Counted }>(project, "/api/public/facets", { ...parameters(query), fields: fields.join(","), limit: String(limit) }, sent);
  return { values: answer.data, rows: answer.meta.rows, sampled: answer.meta.sampled };
}

export type Level = "DEFAULT" | "DEBUG" | "WARNING" | "ERROR";

export interface Bucket {
  time: string;
  count: number;
  levels: Record<Level, number>;
}

export interface Histogram extends Counted {
  measure: "count";
  /** All of them, also empty ones, oldest first. */
  buckets: Bucket[];
  bucketSeconds: number;
}

export interface HeatBucket {
  time: string;
  count: number;
  /** How many rows are in each band of latency. */
  bands: number[];
}

/** Rows that have ended, by time and latency. */
export interface HeatMap extends Counted {
  measure: "latency";
  buckets: HeatBucket[];
  bucketSeconds: number;
  /** Where bands begin; the last has no end. */
  bandMilliseconds: number[];
}

const wantedBuckets = "80";

export async function loadHistogram(project: Project, query: ListQuery, measure: "count" | "latency", sent: Sent): Promise<Histogram | HeatMap> {
  const answer = await getJson<{ data: unknown; meta: Counted & { bucketSeconds: number } }>(project, "/api/public/histogram", { ...parameters(query), buckets: wantedBuckets, measure }, sent);
  return { measure, buckets: answer.data, ...answer.meta } as Histogram | HeatMap;
}

/** Ends the reads of a question on the server. */
export async function cancelReads({ api }: Project, requestId: string): Promise<void> {
  await api.DELETE("/api/public/queries/{requestId}", { params: { path: { requestId } } });
}

export interface Preview {
  id: string;
  input: string | null;
  output: string | null;
  /** What the whole trace of a root sums up to. */
  trace?: { inputTokens: number; outputTokens: number; totalTokens: number; totalCost: number };
}

/** The range of the list comes along: without it the server would look through all of the project. */
export async function loadPreviews(project: Project, ids: readonly string[], { from, to }: ListQuery, traceSums: boolean, signal: AbortSignal): Promise<ReadonlyMap<string, Preview>> {
  const answer = await getJson<{ data: Preview[] }>(project, "/api/public/previews", { ids: ids.join(","), fromStartTime: from, toStartTime: to, traceSums: String(traceSums) }, { signal });
  return new Map(answer.data.map((preview) => [preview.id, preview]));
}

/** The beginning of an input or output, as text. */
export async function loadText(project: Project, row: { id: string; traceId: string | null }, part: "input" | "output", bytes: number, signal: AbortSignal): Promise<{ text: string; whole: boolean }> {
  const query = new URLSearchParams({ part, ...(row.traceId === null ? {} : { traceId: row.traceId }) });
  const response = await fetchRaw(project.id, `/api/public/observations/${encodeURIComponent(row.id)}/io?${query}`, { signal, headers: { Range: `bytes=0-${bytes - 1}` } });
  const total = Number(/\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1] ?? 0);
  return { text: await response.text(), whole: total <= bytes };
}

export interface FilterCounts {
  conditions: { index: number | null; countWithout: number }[];
  /** When the newest row outside of the range started that meets all other conditions. */
  newestOutside: string | null;
}

export async function loadFilterCounts(project: Project, query: ListQuery, signal: AbortSignal): Promise<FilterCounts> {
  return getJson<FilterCounts>(project, "/api/public/filter-counts", parameters(query), { signal });
}

export interface ComparedValue {
  value: string | null;
  selectedShare: number;
  restShare: number;
}

export interface Comparison extends Counted {
  selected: number;
  fields: { field: string; values: ComparedValue[] }[];
}

export async function loadComparison(project: Project, query: ListQuery, selection: readonly Condition[], signal: AbortSignal): Promise<Comparison> {
  const response = await fetchRaw(project.id, "/api/public/compare", {
    method: "POST", signal, headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ fromStartTime: query.from, toStartTime: query.to, filter: query.conditions, selection }),
  });
  const answer = (await response.json()) as { data: Comparison["fields"]; meta: Omit<Comparison, "fields"> };
  return { fields: answer.data, ...answer.meta };
}
