import { fetchRaw } from "@/shared/api/client";
import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";
import type { Known } from "@/shared/filter/complete";
import type { Condition } from "@/shared/filter/condition";
import { type Page, pageSize } from "@/shared/table/useRowPages";

export type Observation = components["schemas"]["Observation"];

/** What a list asks for: rows of a time that meet all conditions and contain the words. */
export interface ListQuery {
  from: string;
  to: string;
  conditions: readonly Condition[];
  search: string;
}

function parameters({ from, to, conditions, search }: ListQuery) {
  return {
    fromStartTime: from,
    toStartTime: to,
    ...(conditions.length > 0 ? { filter: JSON.stringify(conditions) } : {}),
    ...(search === "" ? {} : { search }),
  };
}

export async function loadRows({ api }: Project, query: ListQuery, fields: string, cursor: string | undefined, signal: AbortSignal, limit = pageSize): Promise<Page<Observation>> {
  const { data } = await api.GET("/api/public/v2/observations", { params: { query: { ...parameters(query), fields, limit, cursor } }, signal });
  return { list: data?.data ?? [], cursor: data?.meta.cursor ?? null };
}

export async function loadRow({ api }: Project, id: string, fields: string, signal?: AbortSignal): Promise<Observation | null> {
  const filter = JSON.stringify([{ type: "string", column: "id", operator: "=", value: id }]);
  const { data } = await api.GET("/api/public/v2/observations", { params: { query: { filter, fields, limit: 1 } }, signal });
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

async function getJson<T>(project: Project, path: string, query: Record<string, string>, signal: AbortSignal): Promise<T> {
  const response = await fetchRaw(project.id, `${path}?${new URLSearchParams(query)}`, { signal });
  return (await response.json()) as T;
}

export async function loadFacets(project: Project, query: ListQuery, fields: readonly string[], limit: number, signal: AbortSignal): Promise<Facets> {
  const answer = await getJson<{ data: Known; meta: Counted }>(project, "/api/public/facets", { ...parameters(query), fields: fields.join(","), limit: String(limit) }, signal);
  return { values: answer.data, rows: answer.meta.rows, sampled: answer.meta.sampled };
}

export interface HistogramCell {
  start: string;
  level: string;
  count: number;
}

export interface Histogram extends Counted {
  cells: HistogramCell[];
}

export async function loadHistogram(project: Project, query: ListQuery, widthSeconds: number, signal: AbortSignal): Promise<Histogram> {
  const answer = await getJson<{ data: HistogramCell[]; meta: Counted }>(project, "/api/public/histogram", { ...parameters(query), interval: String(widthSeconds) }, signal);
  return { cells: answer.data, rows: answer.meta.rows, sampled: answer.meta.sampled };
}

export interface Preview {
  id: string;
  input: string | null;
  output: string | null;
}

export async function loadPreviews(project: Project, ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Preview>> {
  const answer = await getJson<{ data: Preview[] }>(project, "/api/public/previews", { ids: ids.join(",") }, signal);
  return new Map(answer.data.map((preview) => [preview.id, preview]));
}

/** The beginning of an input or output, as text. */
export async function loadText(project: Project, row: { id: string; traceId: string | null }, part: "input" | "output", bytes: number, signal: AbortSignal): Promise<{ text: string; whole: boolean }> {
  const query = new URLSearchParams({ part, ...(row.traceId === null ? {} : { traceId: row.traceId }) });
  const response = await fetchRaw(project.id, `/api/public/observations/${encodeURIComponent(row.id)}/io?${query}`, { signal, headers: { Range: `bytes=0-${bytes - 1}` } });
  const total = Number(/\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1] ?? 0);
  return { text: await response.text(), whole: total <= bytes };
}

export interface Effects extends Counted {
  /** How many rows there would be without each condition, in their order. */
  without: number[];
}

export async function loadEffects(project: Project, query: ListQuery, signal: AbortSignal): Promise<Effects> {
  const answer = await getJson<{ data: { without: number[] }; meta: Counted }>(project, "/api/public/effects", parameters(query), signal);
  return { without: answer.data.without, rows: answer.meta.rows, sampled: answer.meta.sampled };
}

export interface ComparedField {
  field: string;
  values: { value: string | null; selected: number; rest: number }[];
}

export interface Comparison extends Counted {
  selected: number;
  rest: number;
  fields: ComparedField[];
}

export async function loadComparison(project: Project, query: ListQuery, selection: readonly Condition[], signal: AbortSignal): Promise<Comparison> {
  const response = await fetchRaw(project.id, "/api/public/compare", {
    method: "POST", signal, headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ fromStartTime: query.from, toStartTime: query.to, filter: query.conditions, selection }),
  });
  const answer = (await response.json()) as { data: ComparedField[]; meta: Counted & { selected: number; rest: number } };
  return { fields: answer.data, ...answer.meta };
}
