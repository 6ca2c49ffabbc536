import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CutOffError, lines, readSkeleton } from "./stream";
import { testBlocks, testHead, type TestRow } from "./testing";

function stream(text: string, cuts: number[] = []): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return new ReadableStream({
    start(controller) {
      for (let i = 1; i < places.length; i++) controller.enqueue(bytes.slice(places[i - 1], places[i]));
      controller.close();
    },
  });
}

function answer(rows: TestRow[], end = true): string {
  const all: object[] = [{ line: "trace", format: 1, ...testHead(rows) }, ...testBlocks(rows, 2).map((block) => ({ line: "rows", ...block }))];
  if (end) all.push({ line: "end", rows: rows.length });
  return all.map((line) => `${JSON.stringify(line)}\n`).join("");
}

const tree: TestRow[] = [{ parent: -1, name: "naïve 🦊" }, { parent: 0 }, { parent: 0, id: "c3" }];

describe("readSkeleton", () => {
  it("reads the same rows however the bytes arrive", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat()), async (cuts) => {
        const rows = await readSkeleton(stream(answer(tree), cuts));
        expect([0, 1, 2].map((row) => [rows.nameOf(row), rows.ids.at(row), rows.parent[row]])).toEqual([
          ["naïve 🦊", "o0", -1], ["step", "o1", 0], ["step", "c3", 0],
        ]);
      }),
    );
  });

  it("tells of every block as it comes", async () => {
    const seen: number[] = [];
    await readSkeleton(stream(answer(tree)), (rows) => seen.push(rows.length));
    expect(seen).toEqual([0, 2, 3]);
  });

  it("says so when the answer is cut off", async () => {
    await expect(readSkeleton(stream(answer(tree, false)))).rejects.toThrow(CutOffError);
    await expect(readSkeleton(stream(answer(tree).slice(0, -10)))).rejects.toThrow("after 3 rows");
    await expect(readSkeleton(stream(""))).rejects.toThrow("after 0 rows");
    const broken = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new TypeError("network error")) });
    await expect(readSkeleton(broken)).rejects.toThrow(CutOffError);
  });

  it("skips lines it does not know, refuses another format", async () => {
    const text = answer(tree).replace('{"line":"end"', '{"line":"later"}\n{"line":"end"');
    await expect(readSkeleton(stream(text))).resolves.toBeDefined();
    await expect(readSkeleton(stream(answer(tree).replace('"format":1', '"format":2')))).rejects.toThrow("older than the server");
  });
});

it("leaves out a last line without its end", async () => {
  const read: string[] = [];
  for await (const line of lines(stream("a\n\nb"))) read.push(line);
  expect(read).toEqual(["a", ""]);
});
