import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carryFolds, newRows, nextRow, noFolds, positionOf, reveal, setFold, setFoldsBelow, visibleRows } from "./folds";
import { anyTree, testTrace, type TestRow } from "./testing";

const hidden = (tree: TestRow[], folds: Uint8Array, row: number): boolean => {
  const parent = tree[row]!.parent;
  return parent >= 0 && (folds[parent] === 1 || hidden(tree, folds, parent));
};
const folded = fc.array(fc.nat(80));

describe("visibleRows", () => {
  it("shows exactly the rows below no folded one", () => {
    fc.assert(
      fc.property(anyTree, folded, (tree, places) => {
        const trace = testTrace(tree);
        const folds = noFolds(trace);
        for (const place of places) if (place < tree.length) folds[place] = 1;
        const shown = visibleRows(trace, folds);
        expect([...shown]).toEqual(tree.map((_, row) => row).filter((row) => !hidden(tree, folds, row)));
        tree.forEach((_, row) => {
          const above = shown[positionOf(shown, row)]!;
          if (hidden(tree, folds, row)) expect(folds[above]).toBe(1);
          else expect(above).toBe(row);
        });
      }),
    );
  });

  it("flattens 10,000 rows within 2 ms", () => {
    const trace = testTrace(Array.from({ length: 10_000 }, (_, i) => ({ parent: i === 0 ? -1 : Math.floor((i - 1) / 10) * 10 })));
    const folds = noFolds(trace);
    const times = Array.from({ length: 20 }, () => {
      const before = performance.now();
      visibleRows(trace, folds);
      return performance.now() - before;
    });
    expect(times.toSorted((a, b) => a - b)[10]).toBeLessThan(2);
  });
});

describe("folds", () => {
  const trace = testTrace([{ parent: -1 }, { parent: 0 }, { parent: 1 }, { parent: 0 }, { parent: 3 }]);

  it("folds all below, and nothing else", () => {
    expect([...setFoldsBelow(trace, noFolds(trace), 1, true)]).toEqual([0, 1, 0, 0, 0]);
    const all = setFoldsBelow(trace, noFolds(trace), 0, true);
    expect([...all]).toEqual([1, 1, 0, 1, 0]);
    expect([...setFoldsBelow(trace, all, 3, false)]).toEqual([1, 1, 0, 0, 0]);
  });

  it("reveals a row by opening what is above it only", () => {
    const all = setFoldsBelow(trace, noFolds(trace), 0, true);
    expect([...reveal(trace, all, 4)]).toEqual([0, 1, 0, 0, 0]);
    expect(reveal(trace, noFolds(trace), 4)).toEqual(noFolds(trace));
  });

  it("walks round the end, and stays in what the find kept", () => {
    const even = (row: number) => row % 2 === 0;
    expect(nextRow(trace, 4, 1, even)).toBe(0);
    expect(nextRow(trace, 0, -1, even)).toBe(4);
    expect(nextRow(trace, 0, 1, even, Uint8Array.of(1, 1, 0, 1, 1))).toBe(4);
    expect(nextRow(trace, 0, 1, () => false)).toBe(-1);
  });

  it("follows rows that moved", () => {
    const before = testTrace([{ parent: -1, id: "a" }, { parent: 0, id: "b" }, { parent: 1, id: "c" }]);
    const after = testTrace([{ parent: -1, id: "a" }, { parent: 0, id: "n" }, { parent: 0, id: "b" }, { parent: 2, id: "c" }]);
    expect([...carryFolds(before, setFold(noFolds(before), 1, true), after)]).toEqual([0, 0, 1, 0]);
    expect(newRows(before, after)).toEqual({ count: 1, first: 1 });
    expect(newRows(after, before)).toEqual({ count: 0, first: -1 });
  });
});
