import type { Project } from "@/shared/api/project";
import { type ListQuery, loadRow, loadRows, type Observation } from "./api";

/** Which rows something is done to: some that are loaded, or all that match. */
export type Chosen = { rows: readonly Observation[] } | { query: ListQuery };

export type Progress = (done: number) => void;

const batch = 1000;
/** Pages that carry inputs and outputs are shorter: those can be large. */
const batchWithTexts = 100;
/** Every item is a request of its own; more is for a script. */
export const maxItems = 1000;

/** The chosen rows, page by page. */
async function* walk(project: Project, chosen: Chosen, fields: string, size: number, signal: AbortSignal): AsyncGenerator<readonly Observation[]> {
  if ("rows" in chosen) return yield chosen.rows;
  let cursor: string | undefined;
  do {
    // oxlint-disable-next-line no-await-in-loop -- a page names the next one
    const page = await loadRows(project, chosen.query, fields, cursor, { signal }, size);
    yield page.list;
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
}

/** Deletes the traces of the chosen rows, a thousand at a time. Gives how many traces. */
export async function deleteTraces(project: Project, chosen: Chosen, progress: Progress, signal: AbortSignal): Promise<number> {
  // All are found before the first is deleted: pages of a list that shrinks would skip rows.
  const ids = new Set<string>();
  for await (const rows of walk(project, chosen, "core", batch, signal)) for (const { traceId } of rows) if (traceId !== null) ids.add(traceId);
  const list = [...ids];
  for (let at = 0; at < list.length; at += batch) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that a refusal stops the rest
    await project.api.DELETE("/api/public/traces", { body: { traceIds: list.slice(at, at + batch) }, signal });
    progress(Math.min(at + batch, list.length));
  }
  return list.length;
}

export interface ExportFormat {
  format: "csv" | "jsonl";
  /** Groups of fields of the rows. */
  fields: string;
  /** Whether inputs and outputs come along. */
  texts: boolean;
}

/** Reads the chosen rows into a file. Every page becomes a blob at once: browsers keep large ones on the disk. */
export async function exportRows(project: Project, chosen: Chosen, { format, fields, texts }: ExportFormat, progress: Progress, signal: AbortSignal): Promise<{ blob: Blob; rows: number }> {
  const parts: Blob[] = [];
  let rows = 0;
  for await (const page of walk(project, chosen, texts ? `${fields},io` : fields, texts ? batchWithTexts : batch, signal)) {
    // Rows that the list has loaded came without their texts.
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const whole = texts && "rows" in chosen ? await withTexts(project, page, fields, (read) => progress(rows + read), signal) : page;
    parts.push(new Blob([format === "csv" ? toCsv(whole, rows === 0, texts) : whole.map((row) => `${JSON.stringify(row)}\n`).join("")]));
    rows += page.length;
    progress(rows);
  }
  return { blob: new Blob(parts, { type: format === "csv" ? "text/csv" : "application/x-ndjson" }), rows };
}

async function withTexts(project: Project, rows: readonly Observation[], fields: string, progress: Progress, signal: AbortSignal): Promise<Observation[]> {
  const whole: Observation[] = [];
  for (const row of rows) {
    // oxlint-disable-next-line no-await-in-loop -- texts are large: one at a time
    whole.push((await loadRow(project, row, `${fields},io`, signal)) ?? row);
    progress(whole.length);
  }
  return whole;
}

const csvColumns = [
  "startTime", "endTime", "id", "traceId", "parentObservationId", "type", "name", "level", "statusMessage", "environment", "userId", "sessionId", "traceName",
  "release", "version", "tags", "model", "promptName", "promptVersion", "latency", "timeToFirstToken", "inputUsage", "outputUsage", "totalUsage", "totalCost",
] as const;

export function toCsv(rows: readonly Observation[], withHead: boolean, texts = false): string {
  const columns = texts ? [...csvColumns, "input", "output"] as const : csvColumns;
  const lines = rows.map((row) => columns.map((column) => csvValue(row[column])).join(","));
  if (withHead) lines.unshift(columns.join(","));
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

/** The first so many of the chosen rows, one at a time. */
async function eachItem(project: Project, chosen: Chosen, progress: Progress, signal: AbortSignal, add: (row: Observation) => Promise<unknown>): Promise<number> {
  let done = 0;
  for await (const rows of walk(project, chosen, "core", maxItems, signal)) {
    for (const row of rows.slice(0, maxItems - done)) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, so that a refusal stops the rest
      await add(row);
      progress(++done);
    }
    if (done >= maxItems) break;
  }
  return done;
}

/** Makes an item of a dataset of every chosen row; it keeps the link to where it came from. */
export async function addToDataset(project: Project, chosen: Chosen, datasetName: string, progress: Progress, signal: AbortSignal): Promise<number> {
  return eachItem(project, chosen, progress, signal, async ({ id, traceId, startTime }) => {
    const row = await loadRow(project, { id, startTime }, "core,io", signal);
    const body = { datasetName, input: jsonOrText(row?.input), expectedOutput: jsonOrText(row?.output), sourceTraceId: traceId, sourceObservationId: id };
    await project.api.POST("/api/public/dataset-items", { body, signal });
  });
}

/** Puts every chosen row into an annotation queue: as its trace where the list is one of traces. */
export async function addToQueue(project: Project, chosen: Chosen, queueId: string, asTraces: boolean, progress: Progress, signal: AbortSignal): Promise<number> {
  return eachItem(project, chosen, progress, signal, ({ id, traceId }) => {
    const body = asTraces && traceId !== null ? { objectId: traceId, objectType: "TRACE" as const } : { objectId: id, objectType: "OBSERVATION" as const };
    return project.api.POST("/api/public/annotation-queues/{queueId}/items", { params: { path: { queueId } }, body, signal });
  });
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
