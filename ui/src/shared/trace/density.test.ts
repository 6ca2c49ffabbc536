import fc from "fast-check";
import { expect, it } from "vitest";
import { Density } from "./density";
import { anyTree, testBlocks, testHead, testTrace } from "./testing";
import { TraceRows } from "./rows";

it("counts what a plain walk over all rows and columns counts", () => {
  fc.assert(
    fc.property(anyTree, fc.integer({ min: 1, max: 40 }), (tree, columns) => {
      const trace = testTrace(tree);
      const density = new Density(trace, columns);
      density.update();
      const expected = new Int32Array(trace.head.types.length * columns);
      const width = trace.extent / columns;
      for (let row = 0; row < trace.length; row++) {
        const first = Math.min(columns - 1, Math.floor((trace.start[row]! * columns) / trace.extent));
        for (let column = first; column < columns; column++) {
          const runs = column === first || column * width < trace.endOf(row) - 1e-9 * trace.extent;
          if (runs) expected[trace.type[row]! * columns + column]!++;
        }
      }
      expect([...density.counts()]).toEqual([...expected]);
    }),
  );
});

it("takes in rows as they arrive, and marks where errors start", () => {
  const tree = [{ parent: -1, duration: 100 }, { parent: 0, start: 50, duration: 10, level: "ERROR" }];
  const trace = new TraceRows(testHead(tree));
  const density = new Density(trace, 10);
  for (const block of testBlocks(tree, 1)) {
    trace.append(block);
    density.update();
  }
  expect([...density.counts().slice(0, 10)]).toEqual([1, 1, 1, 1, 1, 2, 1, 1, 1, 1]);
  expect(Array.from({ length: 10 }, (_, column) => density.hasError(column))).toEqual([false, false, false, false, false, true, false, false, false, false]);
});
