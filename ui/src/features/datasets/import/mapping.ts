import { membersOf } from "@/shared/json/raw";

export type Target = "input" | "expectedOutput" | "metadata" | "id" | "none";
export type TextTarget = Exclude<Target, "id" | "none">;

export const textTargets: readonly TextTarget[] = ["input", "expectedOutput", "metadata"];

export const targetLabels: Record<Target, string> = { input: "Input", expectedOutput: "Expected output", metadata: "Metadata", id: "Id", none: "Left out" };

/** What becomes of each column, by its name. */
export type Mapping = ReadonlyMap<string, Target>;

/** A row of a file before anybody said what its columns are. */
export interface SourceRow {
  /** In the file, from 1. */
  line: number;
  /** By column. Texts of a CSV file, pieces of JSON of a JSONL file. */
  values: ReadonlyMap<string, string>;
  /** Why the line is no row. */
  broken?: string;
}

/** How the values of rows are written. */
export type Notation = "json" | "auto" | "text";

/** An item to be written: JSON texts, as they stand in the file. */
export interface ImportRow extends Partial<Record<TextTarget, string>> {
  line: number;
  id?: string;
}

export interface RowFailure {
  line: number;
  id?: string | null;
  field: string;
  path?: string | null;
  message: string;
}

const known: Record<string, Target> = {
  id: "id", itemid: "id", key: "id",
  input: "input", inputs: "input", question: "input", prompt: "input", query: "input", messages: "input",
  expectedoutput: "expectedOutput", expected: "expectedOutput", output: "expectedOutput", outputs: "expectedOutput", answer: "expectedOutput", reference: "expectedOutput", label: "expectedOutput", target: "expectedOutput",
  metadata: "metadata", meta: "metadata", tags: "metadata",
};

/** Guesses by names. A file without a known name for the input has it in its first column. */
export function guessMapping(columns: readonly string[]): Mapping {
  const mapping = new Map<string, Target>(columns.map((column) => [column, known[column.toLowerCase().replace(/[^a-z]/g, "")] ?? "none"]));
  const first = columns.find((column) => mapping.get(column) === "none");
  if (first !== undefined && ![...mapping.values()].includes("input")) mapping.set(first, "input");
  return mapping;
}

/** Makes an item of a row, or says what keeps it from being one. */
export function mapRow(row: SourceRow, mapping: Mapping, notation: Notation): { row: ImportRow } | { failure: RowFailure } {
  if (row.broken !== undefined) return { failure: { line: row.line, field: "line", message: row.broken } };
  const made: ImportRow = { line: row.line };
  for (const target of textTargets) {
    const columns = [...mapping].filter(([, to]) => to === target).map(([column]) => column);
    const pieces: string[] = [];
    for (const column of columns) {
      const value = row.values.get(column);
      if (value === undefined) continue;
      const json = toJson(value, notation);
      if (json === null) return { failure: { line: row.line, field: target, message: `“${column}” begins like JSON, but is none` } };
      if (columns.length === 1) made[target] = json;
      else pieces.push(`${JSON.stringify(column)}:${json}`);
    }
    if (pieces.length > 0) made[target] = `{${pieces.join(",")}}`;
  }
  const id = idOf(row, mapping, notation);
  if (id !== undefined) made.id = id;
  if (textTargets.every((target) => made[target] === undefined)) return { failure: { line: row.line, field: "line", message: "the columns that were chosen are empty" } };
  return { row: made };
}

function idOf({ values }: SourceRow, mapping: Mapping, notation: Notation): string | undefined {
  for (const [column, target] of mapping) {
    const value = target === "id" ? values.get(column) : undefined;
    if (value === undefined) continue;
    const text = (notation === "json" && value.startsWith('"') ? (JSON.parse(value) as string) : value).trim();
    return text === "" ? undefined : text;
  }
  return undefined;
}

const likeJson = /^\s*(?:[{["]|-?\d|true\b|false\b|null\b)/;

/** A value as JSON; null for what looks like an object or a list and is broken. A text that only begins with a number is a text. */
function toJson(value: string, notation: Notation): string | null {
  if (notation === "json") return value;
  if (notation === "text" || !likeJson.test(value)) return JSON.stringify(value);
  try {
    JSON.parse(value);
    return value.trim();
  } catch {
    return /^\s*[{[]/.test(value) ? null : JSON.stringify(value);
  }
}

/** A line of a JSONL file. */
export function jsonLine(line: number, text: string): SourceRow {
  const none = new Map<string, string>();
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return { line, values: none, broken: "is no JSON object" };
    const members = membersOf(text);
    for (const [name, json] of members) if (json === "null") members.delete(name);
    return { line, values: members };
  } catch (error) {
    return { line, values: none, broken: `is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Ids for rows that bring none: the same row of the same file gets the same one, so that an import can be repeated. A row that
 * occurs again is another item. */
export function idMaker(datasetId: string): (row: ImportRow) => string {
  const seen = new Map<string, number>();
  return (row) => {
    const content = hash(textTargets.map((target) => row[target] ?? "").join("\n"));
    const before = seen.get(content) ?? 0;
    seen.set(content, before + 1);
    return `${datasetId.slice(0, 8)}-${content}${before === 0 ? "" : `-${before + 1}`}`;
  };
}

/** 106 bits in two halves: enough to tell rows of a file apart, and here on every address (crypto.subtle is not). */
export function hash(text: string): string {
  return half(text, 0x9e3779b9) + half(text, 0x85ebca6b);
}

function half(text: string, seed: number): string {
  let low = 0xdeadbeef ^ seed;
  let high = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return (4294967296 * (2097151 & high) + (low >>> 0)).toString(36).padStart(11, "0");
}
