import { describe, expect, it } from "vitest";
import { changeOf, costByModel, courseOf, errorRate, pointsOf, toneOf, totalsOf } from "./model";

const hour = (value: number) => Date.parse(`2026-11-15T${value}:00:00Z`) / 1000;
const at = (value: number) => `2026-11-15T${value}:00:00Z`;

describe("totals", () => {
  it("count traces by their roots, cost by all rows and failures by traces", () => {
    const totals = totalsOf(
      [{ isRootObservation: true, sum_totalCost: 1, p95_latency: 1200, uniq_traceId: 10, count_count: 11 }, { isRootObservation: false, sum_totalCost: 2.5, p95_latency: 1, uniq_traceId: 12, count_count: 30 }],
      [{ level: "DEFAULT", uniq_traceId: 10 }, { level: "ERROR", uniq_traceId: 2 }],
    );
    expect(totals).toEqual({ observations: 41, traces: 10, failed: 2, cost: 3.5, p95: 1200 });
    expect(errorRate(totals)).toBe(0.2);
  });

  it("have no latency and no rate without traces", () => {
    const nothing = totalsOf([], []);
    expect([nothing.p95, errorRate(nothing)]).toEqual([null, null]);
  });
});

describe("changes", () => {
  it("are shares of what was before", () => {
    expect(changeOf(112, 100)).toBe("+12.0 %");
    expect(changeOf(92, 100)).toBe("−8.0 %");
    expect(changeOf(2400, 100)).toBe("×24");
    expect(changeOf(5, 0)).toBeUndefined();
    expect(changeOf(null, 5)).toBeUndefined();
  });

  it("of a share are points", () => {
    expect(pointsOf(0.05, 0.046)).toBe("+0.4 points");
    expect(pointsOf(0, 0.1)).toBe("−10.0 points");
  });

  it("are bad when there is more of what should be little", () => {
    expect([toneOf(2, 1), toneOf(1, 2), toneOf(1, 1), toneOf(null, 1)]).toEqual(["bad", "good", "neutral", "neutral"]);
  });
});

describe("courses", () => {
  it("add rows of a bucket up, and leave gaps where a gap is not zero", () => {
    const rows = [{ time_dimension: at(10), v: 1 }, { time_dimension: at(10), v: 2 }, { time_dimension: at(12), v: 4 }];
    const times = [hour(10), hour(11), hour(12)];
    expect(courseOf(times, rows, (row) => Number(row.v), 0)).toEqual([3, 0, 4]);
    expect(courseOf(times, rows, (row) => Number(row.v), null)).toEqual([3, null, 4]);
  });

  it("give the most expensive models a line and put the rest together", () => {
    const rows = [1, 2, 3, 4, 5, 6, 7].map((cost) => ({ time_dimension: at(10), providedModelName: `m${cost}`, sum_totalCost: cost }));
    const { series, models } = costByModel([hour(10)], [...rows, { time_dimension: at(10), providedModelName: null, sum_totalCost: 0 }]);
    expect(models).toBe(7);
    expect(series.map(({ label, values }) => [label, values[0]])).toEqual([["m7", 7], ["m6", 6], ["m5", 5], ["m4", 4], ["m3", 3], ["2 others", 3]]);
  });

  it("show six models without an other", () => {
    const rows = [1, 2, 3, 4, 5, 6].map((cost) => ({ time_dimension: at(10), providedModelName: `m${cost}`, sum_totalCost: cost }));
    expect(costByModel([hour(10)], rows).series.map(({ label }) => label)).toEqual(["m6", "m5", "m4", "m3", "m2", "m1"]);
  });
});
