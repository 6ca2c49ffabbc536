import { describe, expect, it } from "vitest";
import { bucketWidth, fillBuckets, moveMark } from "./histogram";

const [from, to] = ["2026-05-01T10:02:00.000Z", "2026-05-01T11:02:00.000Z"];

describe("histogram", () => {
  it.each([["2026-05-01T10:17:00Z", 15], [to, 60], ["2026-05-02T10:02:00Z", 1800], ["2026-05-31T10:02:00Z", 43_200], ["2040-05-01T10:02:00Z", 604_800]])("up to %s has buckets of %d seconds", (end, width) => {
    expect(bucketWidth(from, end)).toBe(width);
  });

  it("has every bucket, and no row twice or nowhere", () => {
    const cells = [
      { start: "2026-05-01T10:00:00.000Z", level: "DEFAULT", count: 3 },
      { start: "2026-05-01T10:00:00.000Z", level: "ERROR", count: 1 },
      { start: "2026-05-01T11:00:00.000Z", level: "NEW", count: 2 },
    ];
    const buckets = fillBuckets(cells, from, to, 300);
    expect(buckets).toHaveLength(13);
    expect(buckets[0]).toEqual({ start: Date.parse("2026-05-01T10:00:00Z"), counts: { DEFAULT: 3, DEBUG: 0, WARNING: 0, ERROR: 1 }, total: 4 });
    expect(buckets.at(-1)!.counts.DEFAULT).toBe(2);
    expect(buckets.reduce((sum, { total }) => sum + total, 0)).toBe(6);
  });

  it("is brushed by keys", () => {
    expect(moveMark("ArrowRight", false, { anchor: 3, at: 3 }, 10)).toEqual({ anchor: 4, at: 4 });
    expect(moveMark("ArrowRight", true, { anchor: 3, at: 3 }, 10)).toEqual({ anchor: 3, at: 4 });
    expect(moveMark("End", true, { anchor: 3, at: 3 }, 10)).toEqual({ anchor: 3, at: 9 });
    expect(moveMark("ArrowLeft", false, { anchor: 0, at: 0 }, 10)).toEqual({ anchor: 0, at: 0 });
    expect(moveMark("a", false, { anchor: 0, at: 0 }, 10)).toBeUndefined();
  });
});
