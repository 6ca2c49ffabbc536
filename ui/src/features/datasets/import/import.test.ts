import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Project } from "@/shared/api/project";
import { guessMapping, hash, idMaker, mapRow, type Notation, type SourceRow, type Target } from "./mapping";
import { formatOf, peekFile, readFile } from "./read";
import { type ImportPlan, runImport } from "./run";

const file = (text: string) => new Blob([text]);
const quiet = () => undefined;
const signal = new AbortController().signal;

async function rowsOf(text: string, format: "csv" | "jsonl"): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  for await (const piece of readFile(file(text), format, signal)) rows.push(...piece.rows);
  return rows;
}

interface Sent {
  datasetId: string;
  dryRun: boolean;
  items: { id: string; input?: unknown }[];
}

/** Keeps what was sent, and finds fault with inputs that are numbers. */
function server() {
  const sent: { text: string; body: Sent }[] = [];
  const POST = async (_: string, options: { bodySerializer: () => string }) => {
    const text = options.bodySerializer();
    const body = JSON.parse(text) as Sent;
    sent.push({ text, body });
    const failures = body.items.flatMap(({ id, input }, index) => (typeof input === "number" ? [{ index, id, field: "input", path: null, message: "got number, want string" }] : []));
    return { data: { created: body.items.length - failures.length, changed: 0, unchanged: 0, ids: [], failures } };
  };
  return { sent, project: { id: "p", api: { POST } } as unknown as Project };
}

const plan = (project: Project, text: string, more: Partial<ImportPlan> = {}): ImportPlan => ({
  project, datasetId: "dataset-1", file: file(text), format: "csv", mapping: new Map<string, Target>([["q", "input"], ["a", "expectedOutput"], ["id", "id"]]), notation: "auto", skip: new Set(), dryRun: true, ...more,
});

describe("reading files", () => {
  it("names columns, and numbers rows by the lines of the file", async () => {
    const rows = await rowsOf('q,q,\r\n"two\nlines",b,c\r\n1,,\r\n1,2,3,4\r\n', "csv");
    expect(rows.map(({ line, values, broken }) => ({ line, values: [...values], broken }))).toEqual([
      { line: 2, values: [["q", "two\nlines"], ["q 2", "b"], ["column 3", "c"]], broken: undefined },
      { line: 4, values: [["q", "1"]], broken: undefined },
      { line: 5, values: [["q", "1"], ["q 2", "2"], ["column 3", "3"]], broken: "has 4 fields, but 3 columns are named" },
    ]);
    expect((await rowsOf("a;b\n1,5;2", "csv"))[0]!.values.get("a")).toBe("1,5");
  });

  it("takes lines of JSON as they are written, and says which are none", async () => {
    const rows = await rowsOf('\uFEFF{"input": 12345678901234567890, "x": null}\n\n[1]\n{"a"\n{"id":7}', "jsonl");
    expect([...rows[0]!.values]).toEqual([["input", "12345678901234567890"]]);
    expect(rows.map(({ line, broken }) => [line, broken?.slice(0, 12)])).toEqual([[1, undefined], [3, "is no JSON o"], [4, "is no JSON: "], [5, undefined]]);
  });

  it("knows formats by names, refuses other encodings, and shows the beginning", async () => {
    expect([formatOf("a.CSV"), formatOf("b.ndjson"), formatOf("c.parquet")]).toEqual(["csv", "jsonl", undefined]);
    await expect(peekFile(new Blob([new Uint8Array([0xff, 0xfe])]), "csv", 5)).rejects.toThrow("UTF-8");
    const { columns, rows } = await peekFile(file("a,b\n1,2\n3,4\n5,6\n"), "csv", 2);
    expect([columns, rows.length]).toEqual([["a", "b"], 2]);
  });

  it("ends when it is told to", async () => {
    const ended = new AbortController();
    ended.abort(new Error("ended"));
    await expect(runImport(plan(server().project, "q\n1"), quiet, ended.signal)).rejects.toThrow("ended");
  });
});

describe("mapping", () => {
  const map = (values: Record<string, string>, mapping: [string, Target][], notation: Notation = "auto") => mapRow({ line: 3, values: new Map(Object.entries(values)) }, new Map(mapping), notation);

  it("guesses by names, and takes the first column where no name says input", () => {
    const guessed = (columns: string[]) => Object.fromEntries(guessMapping(columns));
    expect(guessed(["Expected Output", "Input", "item_id", "x"])).toEqual({ "Expected Output": "expectedOutput", Input: "input", item_id: "id", x: "none" });
    expect(guessed(["id", "city", "x"])).toEqual({ id: "id", city: "input", x: "none" });
  });

  it("makes one value of one column, and an object of several", () => {
    expect(map({ a: '{"x":1}', b: "Paris" }, [["a", "input"], ["b", "expectedOutput"]])).toEqual({ row: { line: 3, input: '{"x":1}', expectedOutput: '"Paris"' } });
    expect(map({ a: "1", b: "two" }, [["a", "input"], ["b", "input"], ["c", "input"]])).toEqual({ row: { line: 3, input: '{"a":1,"b":"two"}' } });
    expect(map({ a: "1" }, [["a", "input"], ["b", "input"]])).toEqual({ row: { line: 3, input: '{"a":1}' } });
    expect(map({ a: "007", id: " k " }, [["a", "input"], ["id", "id"]])).toEqual({ row: { line: 3, id: "k", input: '"007"' } });
  });

  it("names what begins like JSON and is none, and rows with nothing in them", () => {
    expect(map({ a: "{x}" }, [["a", "input"]])).toEqual({ failure: { line: 3, field: "input", message: "“a” begins like JSON, but is none" } });
    expect(map({ a: "{x}" }, [["a", "input"]], "text")).toEqual({ row: { line: 3, input: '"{x}"' } });
    expect(map({ b: "1" }, [["a", "input"], ["b", "none"]])).toMatchObject({ failure: { field: "line" } });
  });

  it("always makes JSON", () => {
    fc.assert(fc.property(fc.string(), fc.constantFrom<Notation>("auto", "text"), (text, notation) => {
      const made = map({ a: text }, [["a", "input"]], notation);
      if ("row" in made) JSON.parse(made.row.input!);
    }));
  });

  it("gives the same row the same id each time, and another one where it occurs again", () => {
    const rows = [{ line: 1, input: "1" }, { line: 2, input: "1" }, { line: 3, input: "2" }];
    const ids = rows.map(idMaker("dataset-1"));
    expect(rows.map(idMaker("dataset-1"))).toEqual(ids);
    expect(new Set(ids).size).toBe(3);
    expect(rows.map(idMaker("another-1"))[0]).not.toBe(ids[0]);
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => (hash(a) === hash(b)) === (a === b)));
  });
});

describe("running", () => {
  it("checks all rows in batches, and names those that would fail", async () => {
    const { sent, project } = server();
    const text = `id,q,a\n${Array.from({ length: 250 }, (_, index) => `i${index},text,${index}`).join("\n")}\nbad,7,x\ni3,again,x\nbroken,{,x\n`;
    const result = await runImport(plan(project, text), quiet, signal);
    expect(sent.map(({ body }) => [body.dryRun, body.items.length])).toEqual([[true, 100], [true, 100], [true, 51]]);
    expect(result).toMatchObject({ rows: 251, created: 250, failed: 3 });
    expect(result.failures.map(({ line, field, message }) => `${line} ${field} ${message}`)).toEqual(["252 input got number, want string", "253 id is that of line 5, too", "254 input “q” begins like JSON, but is none"]);
    expect([...result.failedLines].toSorted()).toEqual([252, 253, 254]);
  });

  it("writes what passed the check, digit by digit, and tells how far it is", async () => {
    const { sent, project } = server();
    const reads: number[] = [];
    const text = "id,q,a\na,x,12345678901234567890\nb,7,y\n";
    const result = await runImport(plan(project, text, { dryRun: false, skip: new Set([3]) }), ({ read }) => reads.push(read), signal);
    expect(sent[0]!.text).toContain('{"id":"a","input":"x","expectedOutput":12345678901234567890}');
    expect(result).toMatchObject({ rows: 1, created: 1, failed: 0 });
    expect(reads.at(-1)).toBe(text.length);
  });

  it("sends large rows in requests of their own size", async () => {
    const { sent, project } = server();
    await runImport(plan(project, `q\n${`${"x".repeat(600_000)}\n`.repeat(4)}`, { mapping: new Map([["q", "input"]]) }), quiet, signal);
    expect(sent.map(({ body }) => body.items.length)).toEqual([2, 2]);
  });
});
