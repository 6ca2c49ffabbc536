import fc from "fast-check";
import { type RowBlock, type TraceHead, TraceRows } from "./rows";

/** One row of a trace as tests write it. */
export interface TestRow {
  id?: string;
  parent: number;
  name?: string;
  type?: string;
  level?: string;
  start?: number;
  duration?: number;
  firstToken?: number;
  model?: string;
  total?: number;
  cost?: string;
  flags?: number;
}

export const types = ["SPAN", "GENERATION", "TOOL", "AGENT", "EVENT"];
export const levels = ["DEFAULT", "WARNING", "ERROR"];

export function testHead(rows: readonly TestRow[]): TraceHead {
  const start = Date.UTC(2026, 4, 1);
  const end = rows.reduce((latest, row) => Math.max(latest, (row.start ?? 0) + Math.max(0, row.duration ?? 0)), 0);
  return {
    id: "t1", name: "answer", userId: null, sessionId: null, release: null, version: null, environment: "default", tags: [],
    public: false, bookmarked: false, startTime: new Date(start).toISOString(), endTime: new Date(start + end).toISOString(),
    rows: rows.length, observations: rows.length, roots: 1, syntheticRoot: null, detached: 0, depth: 0, errors: 0, warnings: 0,
    unfinished: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0, totalCost: null, types, levels,
  };
}

/** The blocks a server would send, `size` rows in each. */
export function testBlocks(rows: readonly TestRow[], size = 10_000): RowBlock[] {
  const names: string[] = [];
  const models: string[] = [];
  const blocks: RowBlock[] = [];
  for (let from = 0; from < rows.length; from += size) {
    const part = rows.slice(from, from + size);
    const [newNames, newModels]: [string[], string[]] = [[], []];
    blocks.push({
      from, count: part.length, names: newNames, models: newModels,
      id: part.map((row, i) => row.id ?? `o${from + i}`),
      parent: part.map((row) => row.parent),
      name: part.map((row) => code(names, newNames, row.name ?? "step")),
      model: part.map((row) => (row.model === undefined ? -1 : code(models, newModels, row.model))),
      type: part.map((row) => types.indexOf(row.type ?? "SPAN")),
      level: part.map((row) => levels.indexOf(row.level ?? "DEFAULT")),
      start: part.map((row) => row.start ?? 0),
      duration: part.map((row) => row.duration ?? 0),
      firstToken: part.map((row) => row.firstToken ?? -1),
      input: part.map(() => 0), output: part.map(() => 0),
      total: part.map((row) => row.total ?? -1),
      cost: part.map((row) => row.cost ?? ""),
      flags: part.map((row) => row.flags ?? 0),
    });
  }
  return blocks;
}

export function testTrace(rows: readonly TestRow[], blockSize?: number): TraceRows {
  const trace = new TraceRows(testHead(rows));
  for (const block of testBlocks(rows, blockSize)) trace.append(block);
  return trace;
}

function code(all: string[], added: string[], value: string): number {
  const known = all.indexOf(value);
  if (known >= 0) return known;
  added.push(value);
  return all.push(value) - 1;
}

/** Any tree in pre-order: the parent of a row is the row before it or one above that, or none. */
export const anyTree: fc.Arbitrary<TestRow[]> = fc
  .array(fc.record({ up: fc.nat(6), start: fc.nat(1000), duration: fc.integer({ min: -1, max: 500 }), type: fc.constantFrom(...types), level: fc.constantFrom(...levels), name: fc.constantFrom("chat", "search", "Plan it", "") }), { maxLength: 80 })
  .map((steps) => {
    const rows: TestRow[] = [];
    steps.forEach(({ up, ...row }, index) => {
      let parent = index - 1;
      for (let i = 0; i < up && parent >= 0; i++) parent = rows[parent]!.parent;
      rows.push({ ...row, parent });
    });
    return rows;
  });
