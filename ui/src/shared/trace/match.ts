import type { Comparison, Condition, Find, State, TextColumn } from "./find";
import { above, hit, type Marks } from "./folds";
import type { TraceRows } from "./rows";

type Test = (row: number) => boolean;

export interface Found {
  marks: Marks;
  hits: number;
}

/** Marks the rows among the first `length` that a find hits, and those above them. serverHits are ids whose texts have the words; they count as if the
 * words were in the name. */
export function match(rows: TraceRows, find: Find, serverHits: readonly string[] = [], length = rows.length): Found {
  const marks: Marks = new Uint8Array(rows.head.rows);
  const tests = find.conditions.map((condition) => toTest(rows, condition));
  if (find.words.length > 0) tests.push(wordsTest(rows, find.words, serverHits));
  let hits = 0;
  for (let row = 0; row < length; row++) {
    if (rows.isSynthetic(row) || !tests.every((test) => test(row))) continue;
    marks[row] = hit;
    hits++;
  }
  for (let row = length - 1; row > 0; row--) {
    const parent = rows.parent[row]!;
    if (marks[row] !== 0 && parent >= 0) marks[parent]! |= above;
  }
  return { marks, hits };
}

function wordsTest(rows: TraceRows, words: readonly string[], serverHits: readonly string[]): Test {
  const wanted = words.map((word) => word.toLowerCase());
  const names = dictionaryTest(rows.names, (name) => wanted.every((word) => name.includes(word)));
  const byId = new Set([...serverHits, ...words].map((id) => rows.ids.find(id)));
  return (row) => names[rows.name[row]!] === 1 || byId.has(row);
}

function toTest(rows: TraceRows, condition: Condition): Test {
  const test = positiveTest(rows, condition);
  return condition.not ? (row) => !test(row) : test;
}

function positiveTest(rows: TraceRows, condition: Condition): Test {
  switch (condition.column) {
    case "is":
      return stateTest(rows, condition.value);
    case "latency":
      return numberTest((row) => (rows.duration[row]! < 0 ? null : rows.duration[row]! / 1000), condition.comparison, condition.value);
    case "ttft":
      return numberTest((row) => (rows.firstToken[row]! < 0 ? null : rows.firstToken[row]! / 1000), condition.comparison, condition.value);
    case "tokens":
      return numberTest((row) => (rows.total[row]! < 0 ? null : rows.total[row]!), condition.comparison, condition.value);
    case "cost":
      return numberTest((row) => (rows.costs.isEmpty(row) ? null : Number(rows.costs.at(row))), condition.comparison, condition.value);
    default:
      return textTest(rows, condition.column, condition.values);
  }
}

/** Types and levels are whole words, names and models may be parts; of several values one is enough. */
function textTest(rows: TraceRows, column: TextColumn, values: readonly string[]): Test {
  const wanted = values.map((value) => value.toLowerCase());
  const contains = (text: string) => wanted.some((value) => text.includes(value));
  const equals = (text: string) => wanted.includes(text);
  switch (column) {
    case "id": {
      const found = new Set(values.map((value) => rows.ids.find(value)));
      return (row) => found.has(row);
    }
    case "type":
      return codeTest(rows.type, dictionaryTest(rows.head.types, equals));
    case "level":
      return codeTest(rows.level, dictionaryTest(rows.head.levels, equals));
    case "name":
      return codeTest(rows.name, dictionaryTest(rows.names, contains));
    case "model":
      return codeTest(rows.model, dictionaryTest(rows.models, contains));
  }
}

function stateTest(rows: TraceRows, state: State): Test {
  switch (state) {
    case "unfinished":
      return (row) => rows.isUnfinished(row);
    case "error":
      return (row) => rows.isError(row);
    case "warning":
      return (row) => rows.level[row] === rows.warningLevel;
    case "leaf":
      return (row) => rows.children[row] === 0;
    case "root":
      return (row) => rows.parent[row]! < 0;
  }
}

function dictionaryTest(entries: readonly string[], passes: (entry: string) => boolean): Uint8Array {
  return Uint8Array.from(entries, (entry) => (passes(entry.toLowerCase()) ? 1 : 0));
}

function codeTest(codes: Int32Array | Uint8Array, passing: Uint8Array): Test {
  return (row) => passing[codes[row]!] === 1;
}

/** A row without the number passes no comparison. */
function numberTest(value: (row: number) => number | null, comparison: Comparison, wanted: number): Test {
  const compare = comparisons[comparison];
  return (row) => {
    const number = value(row);
    return number !== null && compare(number, wanted);
  };
}

const comparisons: Record<Comparison, (a: number, b: number) => boolean> = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b,
};
