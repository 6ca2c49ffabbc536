import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openDocument, pageSize, rowsOf, showMore, toggle } from "./rows";
import { childrenOf, JsonError, rootOf, type Value } from "./scan";
import { sourceOf, stringOf } from "./text";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Reads a value back through the scanner alone. */
function read(bytes: Uint8Array, value: Value): unknown {
  if (value.kind === "string") return stringOf(bytes, value).text;
  if (value.kind !== "object" && value.kind !== "array") return JSON.parse(sourceOf(bytes, value)) as unknown;
  const { children, next } = childrenOf(bytes, value, Number.POSITIVE_INFINITY);
  expect(next).toBeNull();
  if (value.kind === "array") return children.map((child) => read(bytes, child));
  return Object.fromEntries(children.map((child) => [stringOf(bytes, child.key ?? child).text, read(bytes, child)]));
}

describe("scan", () => {
  it("finds what a parser finds", () => {
    const texts = fc.tuple(fc.jsonValue({ stringUnit: "binary" }), fc.constantFrom(0, 2, "\t"));
    fc.assert(
      fc.property(texts, ([value, indent]) => {
        const text = JSON.stringify(value, null, indent);
        const bytes = bytesOf(text);
        expect(read(bytes, rootOf(bytes))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("refuses what a parser refuses, or shows it, but ends", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("{", "}", "[", "]", '"', ",", ":", "1", "a", "\\", " ", "true") }), (text) => {
        const bytes = bytesOf(text);
        try {
          read(bytes, rootOf(bytes));
        } catch (error) {
          expect(error instanceof JsonError || error instanceof SyntaxError).toBe(true);
        }
      }),
    );
  });

  it("goes on where a page ended", () => {
    const bytes = bytesOf(JSON.stringify(Array.from({ length: 25 }, (_, index) => index)));
    const root = rootOf(bytes);
    const first = childrenOf(bytes, root, 10);
    const second = childrenOf(bytes, root, 10, first.next ?? undefined);
    const third = childrenOf(bytes, root, 10, second.next ?? undefined);
    expect([first, second, third].flatMap((page) => page.children.map((child) => child.index))).toEqual(Array.from({ length: 25 }, (_, index) => index));
    expect(third.next).toBeNull();
  });

  it("does not mind 100,000 levels", () => {
    const bytes = bytesOf("[".repeat(100_000) + "]".repeat(100_000));
    expect(rootOf(bytes).end).toBe(200_000);
  });
});

describe("strings", () => {
  it("are cut between characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(40), fc.boolean(), (text, limit, escape) => {
        const source = escape ? `"${[...text].map((c) => (c.length === 2 ? JSON.stringify(c).slice(1, -1) : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)).join("")}"` : JSON.stringify(text);
        const bytes = bytesOf(source);
        const { text: shown, cut } = stringOf(bytes, { start: 0, end: bytes.length }, limit);
        const whole = JSON.parse(new TextDecoder().decode(bytes)) as string;
        expect(whole.startsWith(shown)).toBe(true);
        expect(cut === 0).toBe(shown.length === whole.length);
      }),
    );
  });
});

describe("rows", () => {
  const long = openDocument(bytesOf(JSON.stringify({ list: Array.from({ length: 450 }, (_, index) => index), empty: [], text: "t" })));

  it("begin with the root open", () => {
    expect(rowsOf(long).map((row) => row.kind === "value" && [row.depth, row.value.kind, row.foldable, row.open])).toEqual([
      [0, "object", true, true],
      [1, "array", true, false],
      [1, "array", false, false],
      [1, "string", false, false],
    ]);
  });

  it("show a page of children, then more", () => {
    const list = childrenOf(long.bytes, long.root, 1).children[0];
    if (list === undefined) throw new Error("no list");
    const open = toggle(long, list);
    expect(rowsOf(open)).toHaveLength(4 + pageSize + 1);
    expect(rowsOf(open).filter((row) => row.kind === "more")).toEqual([{ kind: "more", depth: 2, parent: list, shown: pageSize }]);
    expect(rowsOf(showMore(showMore(open, list), list))).toHaveLength(4 + 450);
    expect(rowsOf(toggle(open, list))).toHaveLength(4);
  });
});

it("opens 20 MB quickly", () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => ({ row: index, text: "x".repeat(170) }));
  const bytes = bytesOf(JSON.stringify({ rows, blob: "A".repeat(1_000_000) }));
  const begin = performance.now();
  rowsOf(openDocument(bytes));
  expect(bytes.length).toBeGreaterThan(20_000_000);
  expect(performance.now() - begin).toBeLessThan(5_000); // about 100 ms on a quiet machine
});
