import fc from "fast-check";
import { expect, it } from "vitest";
import { barOf } from "./lane";
import { anyTree, testTrace } from "./testing";

const trace = testTrace([
  { parent: -1, start: 0, duration: 1000, firstToken: 500 },
  { parent: 0, start: 100, duration: 100 },
  { parent: 0, start: 950, duration: 50 },
]);
const whole = { window: { from: 0, to: 1000 }, width: 1000 };

it("puts labels where there is room", () => {
  expect(barOf(trace, 0, whole, 40)).toEqual({ left: 0, width: 1000, label: "inside", firstToken: 500 });
  expect(barOf(trace, 1, whole, 40)).toEqual({ left: 100, width: 100, label: "right", firstToken: null });
  expect(barOf(trace, 2, whole, 40).label).toBe("left");
});

it("says on which side a bar is out of sight", () => {
  const lane = { window: { from: 300, to: 400 }, width: 500 };
  expect(barOf(trace, 1, lane, 40).label).toBe("before");
  expect(barOf(trace, 2, lane, 40).label).toBe("after");
  expect(barOf(trace, 0, lane, 40)).toMatchObject({ left: -8, width: 516, firstToken: null });
});

it("never draws more than the lane and a little, however close the zoom", () => {
  fc.assert(
    fc.property(anyTree, fc.nat(1000), fc.integer({ min: 5, max: 50 }), (tree, from, length) => {
      const rows = testTrace(tree);
      for (let row = 0; row < rows.length; row++) {
        const { left, width } = barOf(rows, row, { window: { from, to: from + length }, width: 800 }, 40);
        expect(left).toBeGreaterThanOrEqual(-8);
        expect(left + width).toBeLessThanOrEqual(810);
      }
    }),
  );
});
