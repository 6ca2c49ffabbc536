import fc from "fast-check";
import { expect, it } from "vitest";
import { mountedRange, offsetShowing, scrollRange } from "./scroll";

const count = fc.integer({ min: 1, max: 5_000_000 });
const viewport = fc.integer({ min: 100, max: 3000 });

it("reaches the last row at the end of the scroll bar, however many there are", () => {
  fc.assert(
    fc.property(count, viewport, fc.constantFrom(26, 44), (n, view, rowHeight) => {
      const { height, scale } = scrollRange(n, rowHeight, view);
      const offset = Math.max(0, height - view) * scale;
      expect(height).toBeLessThanOrEqual(15_000_000);
      const { first, end } = mountedRange(offset, view, rowHeight, n, 6);
      expect(end).toBe(n);
      expect(end - first).toBeLessThanOrEqual(Math.ceil(view / rowHeight) + 14);
    }),
  );
});

it("mounts every row in view", () => {
  expect(mountedRange(0, 100, 26, 1000, 0)).toEqual({ first: 0, end: 4 });
  expect(mountedRange(30, 100, 26, 1000, 2)).toEqual({ first: 0, end: 7 });
  expect(mountedRange(9_999_999, 100, 26, 10, 2)).toEqual({ first: 9, end: 10 });
});

it("moves only as far as a row needs", () => {
  expect(offsetShowing(1, 0, 100, 26)).toBe(0);
  expect(offsetShowing(10, 0, 100, 26)).toBe(186);
  expect(offsetShowing(0, 50, 100, 26)).toBe(0);
});
