import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { align, changeOf, common } from "./align";
import type { TraceRows } from "./rows";
import { anyTree, testTrace } from "./testing";

const named = (a: TraceRows, b: TraceRows) => {
  const found = align(a, b);
  return Array.from(found.a, (left, at) => `${"·".repeat(found.depth[at]! - 1)}${left < 0 ? "+" : found.b[at]! < 0 ? "-" : "="} ${left < 0 ? b.nameOf(found.b[at]!) : a.nameOf(left)}`);
};

describe("align", () => {
  it("pairs what stands for each other, and shows what one has alone", () => {
    const a = testTrace([{ parent: -1, name: "agent" }, { parent: 0, name: "plan" }, { parent: 0, name: "search", type: "TOOL" }, { parent: 2, name: "fetch" }, { parent: 0, name: "answer", type: "GENERATION" }]);
    const b = testTrace([{ parent: -1, name: "agent" }, { parent: 0, name: "search", type: "TOOL" }, { parent: 1, name: "fetch" }, { parent: 1, name: "fetch" }, { parent: 0, name: "reply", type: "GENERATION" }]);
    // The last one got another name, and is still the generation there.
    expect(named(a, b)).toEqual(["= agent", "·- plan", "·= search", "··= fetch", "··+ fetch", "·= answer"]);
  });

  it("shows every row of both once, in its order, below the row that its parent stands for", () => {
    fc.assert(fc.property(anyTree, anyTree, (left, right) => {
      const [a, b] = [testTrace(left), testTrace(right)];
      const found = align(a, b);
      for (const [rows, own] of [[a, found.a], [b, found.b]] as const) expect([...own].filter((row) => row >= 0)).toEqual(Array.from({ length: rows.length }, (_, row) => row));
      const place = new Map([...found.a].map((row, at) => [row, at]));
      const placeB = new Map([...found.b].map((row, at) => [row, at]));
      found.a.forEach((row, at) => {
        const other = found.b[at]!;
        if (row >= 0) expect(found.depth[at]).toBe(a.depth[row]);
        if (other >= 0) expect(found.depth[at]).toBe(b.depth[other]);
        if (row < 0 || other < 0) return;
        const [parentA, parentB] = [a.parent[row]!, b.parent[other]!];
        if (parentA < 0 || parentB < 0) expect([parentA, parentB]).toEqual([-1, -1]);
        else expect(place.get(parentA)).toBe(placeB.get(parentB));
        expect(a.typeOf(row)).toBe(b.typeOf(other));
      });
    }));
  });

  it("finds nothing but itself in the same tree, and mirrors when the two are exchanged", () => {
    fc.assert(fc.property(anyTree, anyTree, (left, right) => {
      const [a, b] = [testTrace(left), testTrace(right)];
      const itself = align(a, testTrace(left));
      itself.a.forEach((row, at) => expect([itself.b[at], changeOf(a, a, row, itself.b[at]!)]).toEqual([row, "same"]));
      const matched = (found: { a: Int32Array; b: Int32Array }) => found.a.filter((row, at) => row >= 0 && found.b[at]! >= 0).length;
      const both = matched(align(a, b));
      expect(both).toBeLessThanOrEqual(Math.min(a.length, b.length));
      if (a.length > 0 && b.length > 0 && a.roots > 0 && a.typeOf(0) === b.typeOf(0)) expect(matched(align(b, a)) > 0).toBe(both > 0);
    }));
  });

  it("tells what changed without texts", () => {
    const a = testTrace([{ parent: -1, name: "x", total: 5, cost: "0.1" }]);
    expect(changeOf(a, testTrace([{ parent: -1, name: "x", total: 5, cost: "0.1", duration: 99 }]), 0, 0)).toBe("same");
    expect(changeOf(a, testTrace([{ parent: -1, name: "x", total: 6, cost: "0.1" }]), 0, 0)).toBe("changed");
    expect([changeOf(a, a, -1, 0), changeOf(a, a, 0, -1)]).toEqual(["added", "removed"]);
  });

  it("does not compare every row with every other one", () => {
    const flat = (rows: number, name: (row: number) => string) => testTrace([{ parent: -1, name: "root" }, ...Array.from({ length: rows }, (_, row) => ({ parent: 0, name: name(row) }))]);
    const effort = (a: TraceRows, b: TraceRows) => {
      const work = { comparisons: 0 };
      expect(align(a, b, work).a.length).toBeLessThanOrEqual(a.length + b.length);
      return work.comparisons;
    };
    // A level that is small enough is compared exactly; a large one by its order, where ten times the rows take little more than ten times.
    const unlike = (rows: number) => effort(flat(rows, (row) => `a${row % 97}`), flat(rows, (row) => `b${row % 89}`));
    const mixed = (rows: number) => effort(flat(rows, (row) => `x${(row * 7919) % 503}`), flat(rows, (row) => `x${row % 499}`));
    expect(unlike(900)).toBeGreaterThan(900 * 900);
    expect(unlike(10_000)).toBeLessThan(100_000);
    const crossed = mixed(10_000);
    expect(crossed).toBeGreaterThan(10_000);
    expect(crossed).toBeLessThan(1_000_000);
  });

  it("takes no more for a tree than its levels allow", () => {
    fc.assert(fc.property(anyTree, anyTree, (left, right) => {
      const [a, b, work] = [testTrace(left), testTrace(right), { comparisons: 0 }];
      align(a, b, work);
      // Levels below rows that stand for each other: their sizes add up to the rows, so their products stay below that of the rows.
      expect(work.comparisons).toBeLessThanOrEqual(2 * a.length * b.length + 10 * (a.length + b.length) + 10);
    }));
  });
});

describe("common", () => {
  const words = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 9 });
  const longestOf = (a: readonly string[], b: readonly string[]): number =>
    a.length === 0 || b.length === 0 ? 0 : a[0] === b[0] ? 1 + longestOf(a.slice(1), b.slice(1)) : Math.max(longestOf(a.slice(1), b), longestOf(a, b.slice(1)));

  it("is a common sequence, and the longest one unless lists are too long", () => {
    fc.assert(fc.property(words, words, fc.constantFrom(0, 1_000_000), (a, b, most) => {
      const found = common(a, b, undefined, most);
      found.forEach(([i, j], at) => {
        expect(a[i]).toBe(b[j]);
        if (at > 0) expect(i > found[at - 1]![0] && j > found[at - 1]![1]).toBe(true);
      });
      if (most > 0) expect(found.length).toBe(longestOf(a, b));
    }));
  });
});
