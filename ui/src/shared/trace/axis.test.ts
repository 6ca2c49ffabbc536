import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clampWindow, fitRow, followWindow, panBy, parseWindow, tickLabel, ticks, wholeTrace, zoomAt } from "./axis";
import { noFolds, visibleRows } from "./folds";
import { testTrace } from "./testing";

const moment = fc.double({ min: -1e9, max: 1e9, noNaN: true });
const extent = fc.integer({ min: 1, max: 1e9 });

describe("windows", () => {
  it("never leave the trace, whatever is asked for", () => {
    fc.assert(
      fc.property(moment, moment, extent, fc.double({ min: 0.01, max: 100, noNaN: true }), (a, b, whole, factor) => {
        const window = clampWindow({ from: a, to: b }, whole);
        for (const { from, to } of [window, zoomAt(window, factor, a, whole), panBy(window, b, whole)]) {
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(wholeTrace(whole).to * (1 + 1e-9));
          expect(to - from).toBeGreaterThan(4.99);
        }
      }),
    );
  });

  it("keep the moment under the pointer", () => {
    const zoomed = zoomAt({ from: 400, to: 600 }, 0.5, 450, 1000);
    expect(zoomed).toEqual({ from: 425, to: 525 });
  });

  it("come from the address only when they are whole numbers", () => {
    expect(parseWindow("100", "300", 1000)).toEqual({ from: 100, to: 300 });
    for (const [t0, t1] of [["300", "100"], ["1e3", "2e3"], ["a", "b"], [undefined, "5"]] as const) {
      expect(parseWindow(t0, t1, 1000)).toBeNull();
    }
  });
});

describe("followWindow", () => {
  const trace = testTrace([
    { parent: -1, start: 0, duration: 10_000 },
    { parent: 0, start: 4000, duration: 100 },
    { parent: 0, start: 4200, duration: 100 },
    { parent: 0, start: 9000, duration: 10 },
  ]);
  const shown = visibleRows(trace, noFolds(trace));

  it("fits the rows on screen and ignores the long ones", () => {
    const window = followWindow(trace, shown, 0, 3);
    expect(window.from).toBeGreaterThan(3900);
    expect(window.to).toBeLessThan(4400);
    expect(window.from).toBeLessThan(4000);
    expect(window.to).toBeGreaterThan(4300);
  });

  it("shows everything when only long rows are on screen", () => {
    expect(followWindow(trace, shown, 0, 1)).toEqual(wholeTrace(10_000));
    expect(followWindow(trace, shown, 0, 0)).toEqual(wholeTrace(10_000));
  });

  it("fits one row with air around it", () => {
    const { from, to } = fitRow(trace, 1);
    expect([from < 4000, to > 4100, to - from < 200]).toEqual([true, true, true]);
  });
});

describe("ticks", () => {
  it("are round, inside and not too many", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e8 }), fc.double({ min: 5, max: 1e8, noNaN: true }), fc.integer({ min: 50, max: 3000 }), (from, length, width) => {
        const found = ticks({ from, to: from + length }, width);
        expect(found.length).toBeLessThanOrEqual(Math.max(1, Math.floor(width / 80)) + 1);
        for (const at of found) expect(at >= from && at <= from + length).toBe(true);
      }),
    );
  });

  it.each([
    [0, 500, "0"], [500, 500, "500 ms"], [1500, 500, "1.5 s"], [1250, 50, "1.25 s"], [2000, 1000, "2 s"],
    [65_000, 5000, "1:05"], [65_500, 500, "1:05.5"], [3_725_000, 1000, "1:02:05"],
  ])("%i ms at steps of %i reads %s", (at, step, label) => {
    expect(tickLabel(at, step)).toBe(label);
  });
});
