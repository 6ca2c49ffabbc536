import type { Project } from "@/shared/api/project";
import { type ListQuery, loadRow, loadRows, type Observation } from "./api";

/** Which rows something is done to: some that are loaded, or all that match. */
export type Chosen = { rows: readonly Observation[] } | { query: ListQuery };

export type Progress = (done: number) => void;

const batch = 1000;
/** What a browser can hold for a file; more is for the API. */
export const maxExport = 50_000;
export const maxDatasetItems = 1000;

/** The chosen rows, page by page. */
async function* walk(project: Project, chosen: Chosen, fields: string, most: number, signal: AbortSignal): AsyncGenerator<readonly Observation[]> {
  if ("rows" in chosen) return yield chosen.rows.slice(0, most);
  let cursor: string | undefined;
  for (let seen = 0; seen < most; ) {
    // oxlint-disable-next-line no-await-in-loop -- a page names the next one
    const page = await loadRows(project, chosen.query, fields, cursor, signal, Math.min(batch, most - seen));
    yield page.list;
    seen += page.list.length;
    if (page.cursor === null) return;
    cursor = page.cursor;
  }
}

/** Deletes the traces of the chosen rows, a thousand at a time. Gives how many traces. */
export async function deleteTraces(project: Project, chosen: Chosen, progress: Progress, signal: AbortSignal): Promise<number> {
  const ids = new Set<string>();
  for await (const rows of walk(project, chosen, "core", Number.POSITIVE_INFINITY, signal)) for (const { traceId } of rows) if (traceId !== null) ids.add(traceId);
  const list = [...ids];
  for (let at = 0; at < list.length; at += batch) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that a refusal stops the rest
    await project.api.DELETE("/api/public/traces", { body: { traceIds: list.slice(at, at + batch) }, signal });
    progress(Math.min(at + batch, list.length));
  }
  return list.length;
}

export async function exportRows(project: Project, chosen: Chosen, format: "csv" | "jsonl", fields: string, progress: Progress, signal: AbortSignal): Promise<{ blob: Blob; rows: number }> {
  const parts: string[] = [];
  let rows = 0;
  for await (const page of walk(project, chosen, fields, maxExport, signal)) {
    parts.push(format === "csv" ? toCsv(page, rows === 0) : page.map((row) => `${JSON.stringify(row)}\n`).join(""));
    rows += page.length;
    progress(rows);
  }
  return { blob: new Blob(parts, { type: format === "csv" ? "text/csv" : "application/x-ndjson" }), rows };
}

const csvColumns = [
  "startTime", "endTime", "id", "traceId", "parentObservationId", "type", "name", "level", "statusMessage", "environment", "userId", "sessionId", "traceName",
  "release", "version", "tags", "model", "promptName", "promptVersion", "latency", "timeToFirstToken", "inputUsage", "outputUsage", "totalUsage", "totalCost",
] as const;

export function toCsv(rows: readonly Observation[], withHead: boolean): string {
  const lines = rows.map((row) => csvColumns.map((column) => csvValue(row[column])).join(","));
  if (withHead) lines.unshift(csvColumns.join(","));
  return lines.map((line) => `${line}\r\n`).join("");
}

/** RFC 4180, and safe to open: a text that a spreadsheet would take for a formula gets an apostrophe. */
function csvValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = Array.isArray(value) ? value.join(" ") : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Makes an item of a dataset of every chosen row; it keeps the link to where it came from. */
export async function addToDataset(project: Project, chosen: Chosen, datasetName: string, progress: Progress, signal: AbortSignal): Promise<number> {
  let done = 0;
  for await (const rows of walk(project, chosen, "core", maxDatasetItems, signal)) {
    for (const { id, traceId } of rows) {
      // oxlint-disable-next-line no-await-in-loop -- texts are large: one at a time
      const row = await loadRow(project, id, "core,io,metadata", signal);
      const body = { datasetName, input: jsonOrText(row?.input), expectedOutput: jsonOrText(row?.output), sourceTraceId: traceId, sourceObservationId: id };
      // oxlint-disable-next-line no-await-in-loop -- as above
      await project.api.POST("/api/public/dataset-items", { body, signal });
      progress(++done);
    }
  }
  return done;
}

/** Any JSON, else the text. (The generated type has no name for any JSON.) */
function jsonOrText(text: string | null | undefined): unknown[] | string | null {
  if (text === null || text === undefined) return null;
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    return text;
  }
}
