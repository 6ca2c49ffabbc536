import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyTree, testBlocks, testHead, testTrace, type TestRow } from "./testing";
import { TraceRows } from "./rows";

const isBelow = (rows: TestRow[], row: number, ancestor: number): boolean =>
  row >= 0 && (row === ancestor || isBelow(rows, rows[row]!.parent, ancestor));

describe("TraceRows", () => {
  it("knows what is below each row, however the rows were cut into blocks", () => {
    fc.assert(
      fc.property(anyTree, fc.integer({ min: 1, max: 20 }), (tree, size) => {
        const trace = testTrace(tree, size);
        for (let row = 0; row < tree.length; row++) {
          const below = tree.map((_, i) => i).filter((i) => isBelow(tree, i, row));
          expect(trace.last(row)).toBe(below.at(-1));
          expect(trace.children[row]).toBe(tree.filter((other) => other.parent === row).length);
        }
      }),
    );
  });

  it("counts places among siblings from one, roots among roots", () => {
    const trace = testTrace([{ parent: -1 }, { parent: 0 }, { parent: 1 }, { parent: 0 }, { parent: -1 }]);
    expect([...trace.place]).toEqual([1, 1, 1, 2, 2]);
    expect([0, 1, 2, 3, 4].map((row) => trace.siblings(row))).toEqual([2, 2, 1, 2, 2]);
    expect([...trace.depth]).toEqual([1, 2, 3, 2, 1]);
  });

  it("takes a chain of 100,000 levels", () => {
    const trace = testTrace(Array.from({ length: 100_000 }, (_, i) => ({ parent: i - 1 })));
    expect(trace.depth[99_999]).toBe(100_000);
    expect(trace.last(0)).toBe(99_999);
  });

  it("is right while rows are still missing", () => {
    const tree = [{ parent: -1 }, { parent: 0 }, { parent: 1 }, { parent: 0 }];
    const trace = new TraceRows(testHead(tree));
    const [first, second] = testBlocks(tree, 2);
    trace.append(first!);
    expect(trace.last(0)).toBe(1);
    trace.append(second!);
    expect([trace.last(0), trace.last(1)]).toEqual([3, 2]);
  });

  it("refuses blocks out of order and columns that are too short", () => {
    const tree = [{ parent: -1 }, { parent: 0 }, { parent: 0 }];
    const [first, second] = testBlocks(tree, 2);
    expect(() => new TraceRows(testHead(tree)).append(second!)).toThrow("out of order");
    expect(() => new TraceRows(testHead(tree)).append({ ...first!, level: [0] })).toThrow("incomplete");
    expect(() => testTrace([{ parent: 0 }])).toThrow("before its parent");
  });

  it("draws an unfinished row to the end of the trace, an event as a moment", () => {
    const trace = testTrace([{ parent: -1, duration: 900 }, { parent: 0, start: 100, duration: -1 }, { parent: 0, type: "EVENT", start: 5, duration: -1 }]);
    expect([trace.endOf(0), trace.endOf(1), trace.endOf(2)]).toEqual([900, 900, 5]);
    expect([0, 1, 2].map((row) => trace.isUnfinished(row))).toEqual([false, true, false]);
  });
});
