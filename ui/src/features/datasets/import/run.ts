import type { Project } from "@/shared/api/project";
import { type ImportRow, idMaker, type Mapping, mapRow, type Notation, type RowFailure, textTargets } from "./mapping";
import { type FileFormat, readFile } from "./read";

/** What one request brings at most: the server takes 100 items and 4.5 MiB. */
const batchRows = 100;
const batchSize = 1_000_000;
/** How many failures are kept to be shown; all are counted. */
export const shownFailures = 200;

export interface ImportPlan {
  project: Project;
  datasetId: string;
  file: Blob;
  format: FileFormat;
  mapping: Mapping;
  notation: Notation;
  /** Lines that are passed over: a check found that they cannot be written. */
  skip: ReadonlySet<number>;
  dryRun: boolean;
}

export interface ImportProgress {
  /** Bytes of the file that are done. */
  read: number;
  rows: number;
  created: number;
  changed: number;
  unchanged: number;
  /** Lines that cannot be written. */
  failed: number;
}

export interface ImportResult extends ImportProgress {
  failures: RowFailure[];
  failedLines: ReadonlySet<number>;
}

/** Checks or writes the rows of a file, in the order of the file. Ended by the signal it throws; what was written stays, and a
 * repetition passes over it. */
export async function runImport(plan: ImportPlan, progress: (now: ImportProgress) => void, signal: AbortSignal): Promise<ImportResult> {
  const run = new ImportRun(plan, signal);
  for await (const { rows, read } of readFile(plan.file, plan.format, signal)) {
    for (const source of rows) {
      if (plan.skip.has(source.line)) continue;
      const made = mapRow(source, plan.mapping, plan.notation);
      if ("failure" in made) run.fail(made.failure);
      else if (run.add(made.row)) await run.send(); // one batch after the other, so that a refusal stops the rest
    }
    run.now.read = read;
    progress({ ...run.now });
  }
  await run.send();
  progress({ ...run.now });
  return { ...run.now, failures: run.failures.toSorted((a, b) => a.line - b.line), failedLines: run.failedLines };
}

class ImportRun {
  readonly now: ImportProgress = { read: 0, rows: 0, created: 0, changed: 0, unchanged: 0, failed: 0 };
  readonly failures: RowFailure[] = [];
  readonly failedLines = new Set<number>();
  private readonly makeId: (row: ImportRow) => string;
  private readonly ids = new Map<string, number>();
  private batch: { line: number; json: string }[] = [];
  private size = 0;

  constructor(
    private readonly plan: ImportPlan,
    private readonly signal: AbortSignal,
  ) {
    this.makeId = idMaker(plan.datasetId);
  }

  /** Takes a row; true when there are enough for a request. */
  add(row: ImportRow): boolean {
    const id = row.id ?? this.makeId(row);
    const before = this.ids.get(id);
    if (before !== undefined) {
      this.fail({ line: row.line, id, field: "id", message: `is that of line ${before}, too` });
      return false;
    }
    this.ids.set(id, row.line);
    const members = [`"id":${JSON.stringify(id)}`, ...textTargets.flatMap((target) => (row[target] === undefined ? [] : [`"${target}":${row[target]}`]))];
    const json = `{${members.join(",")}}`;
    this.batch.push({ line: row.line, json });
    this.size += json.length;
    return this.batch.length >= batchRows || this.size >= batchSize;
  }

  fail(failure: RowFailure): void {
    if (!this.failedLines.has(failure.line)) this.now.failed++;
    this.failedLines.add(failure.line);
    if (this.failures.length < shownFailures) this.failures.push(failure);
  }

  async send(): Promise<void> {
    const sent = this.batch;
    if (sent.length === 0) return;
    this.batch = [];
    this.size = 0;
    this.signal.throwIfAborted();
    const { project, datasetId, dryRun } = this.plan;
    // The pieces of JSON go out as they stand in the file: a number of any length stays what it is.
    const text = `{"datasetId":${JSON.stringify(datasetId)},"dryRun":${dryRun},"items":[${sent.map(({ json }) => json).join(",")}]}`;
    const { data } = await project.api.POST("/api/public/dataset-item-batches", { body: { datasetId, dryRun, items: [] }, bodySerializer: () => text, signal: this.signal });
    if (data === undefined) throw new Error("The server sent no answer.");
    for (const { index, id, field, path, message } of data.failures) this.fail({ line: sent[index]!.line, id, field, path, message });
    this.now.rows += sent.length;
    this.now.created += data.created;
    this.now.changed += data.changed;
    this.now.unchanged += data.unchanged;
  }
}
