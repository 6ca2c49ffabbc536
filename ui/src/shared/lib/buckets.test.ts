import { describe, expect, it } from "vitest";
import { bucketsOf, granularityOf } from "./buckets";

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

describe("granularityOf", () => {
  it("follows the length of the range", () => {
    const to = "2026-11-15T12:00:00Z";
    expect(granularityOf("2026-11-15T11:00:00Z", to)).toBe("minute");
    expect(granularityOf("2026-11-15T10:00:00Z", to)).toBe("hour");
    expect(granularityOf("2026-11-08T12:00:00Z", to)).toBe("day");
    expect(granularityOf("2026-06-15T12:00:00Z", to)).toBe("week");
    expect(granularityOf("2025-06-15T12:00:00Z", to)).toBe("month");
  });
});

describe("bucketsOf", () => {
  it("begins with the bucket that holds the beginning and leaves none out", () => {
    expect(bucketsOf("2026-11-15T10:20:00Z", "2026-11-15T12:30:00Z", "hour").map(iso)).toEqual(["2026-11-15T10:00:00.000Z", "2026-11-15T11:00:00.000Z", "2026-11-15T12:00:00.000Z"]);
    expect(bucketsOf("2026-11-15T10:20:00Z", "2026-11-15T12:00:00Z", "hour")).toHaveLength(2);
  });

  it("has weeks that begin on Monday and months of any length", () => {
    expect(bucketsOf("2026-11-15T10:00:00Z", "2026-11-17T00:00:00Z", "week").map(iso)).toEqual(["2026-11-09T00:00:00.000Z", "2026-11-16T00:00:00.000Z"]);
    expect(bucketsOf("2026-01-31T10:00:00Z", "2026-03-02T00:00:00Z", "month").map(iso)).toEqual(["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"]);
  });
});
