import { CsvReader } from "@/shared/csv/csv";
import { jsonLine, type SourceRow } from "./mapping";

export type FileFormat = "csv" | "jsonl";

/** By the name of a file. */
export function formatOf(name: string): FileFormat | undefined {
  if (/\.(jsonl|ndjson)$/i.test(name)) return "jsonl";
  return /\.(csv|tsv|txt)$/i.test(name) ? "csv" : undefined;
}

/** Rows as they were read, and how many bytes of the file that took. */
export interface Piece {
  rows: SourceRow[];
  read: number;
}

/** Reads a file piece by piece; what was read and used is let go, so that it may be of any size. */
export async function* readFile(file: Blob, format: FileFormat, signal: AbortSignal): AsyncGenerator<Piece> {
  const parser = format === "csv" ? new CsvRows() : new JsonLines();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = file.stream().getReader();
  let read = 0;
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other, and the page lives between them
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      read += value.byteLength;
      yield { rows: parser.push(decode(decoder, value, true)), read };
    }
    yield { rows: [...parser.push(decode(decoder, new Uint8Array(), false)), ...parser.end()], read };
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function decode(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    throw new Error("The file is not in UTF-8. Save it in this encoding and choose it again.");
  }
}

/** The first rows of a file, to choose what its columns are. */
export async function peekFile(file: Blob, format: FileFormat, rows: number): Promise<{ columns: string[]; rows: SourceRow[] }> {
  const found: SourceRow[] = [];
  for await (const piece of readFile(file, format, new AbortController().signal)) {
    found.push(...piece.rows.slice(0, rows - found.length));
    if (found.length === rows) break;
  }
  return { columns: [...new Set(found.flatMap(({ values }) => [...values.keys()]))], rows: found };
}

/** The first line of a CSV file names its columns. */
class CsvRows {
  private reader: CsvReader | undefined;
  private columns: string[] | undefined;

  push(text: string): SourceRow[] {
    this.reader ??= new CsvReader(separatorOf(text));
    return this.rows(this.reader.push(text));
  }

  end(): SourceRow[] {
    return this.reader === undefined ? [] : this.rows(this.reader.end());
  }

  private rows(parsed: ReturnType<CsvReader["push"]>): SourceRow[] {
    if (this.columns === undefined && parsed.length > 0) this.columns = named(parsed.shift()!.cells);
    const columns = this.columns ?? [];
    return parsed.map(({ line, cells }) => {
      const values = new Map<string, string>();
      columns.forEach((column, index) => {
        const cell = cells[index];
        if (cell !== undefined && cell !== "") values.set(column, cell);
      });
      return cells.length > columns.length ? { line, values, broken: `has ${cells.length} fields, but ${columns.length} columns are named` } : { line, values };
    });
  }
}

/** Spreadsheets of some countries write semicolons, and some programs tabs. */
function separatorOf(text: string): string {
  const head = text.slice(0, text.search(/[\r\n]/) >>> 0);
  const counts = [",", ";", "\t"].map((sign) => ({ sign, count: head.split(sign).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]!.sign;
}

/** Columns without a name and those that have the name of another get one. */
function named(cells: readonly string[]): string[] {
  const seen = new Set<string>();
  return cells.map((cell, index) => {
    const base = cell.trim() || `column ${index + 1}`;
    let name = base;
    for (let copy = 2; seen.has(name); copy++) name = `${base} ${copy}`;
    seen.add(name);
    return name;
  });
}

class JsonLines {
  private rest = "";
  private line = 0;

  push(text: string): SourceRow[] {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.row(line));
  }

  end(): SourceRow[] {
    return this.row(this.rest);
  }

  private row(text: string): SourceRow[] {
    this.line++;
    const line = this.line === 1 ? text.replace(/^\uFEFF/, "") : text;
    return line.trim() === "" ? [] : [jsonLine(this.line, line)];
  }
}
