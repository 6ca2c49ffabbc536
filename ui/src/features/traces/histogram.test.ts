import { describe, expect, it } from "vitest";
import { parse } from "@/shared/filter/parse";
import type { HeatMap } from "./api";
import { latencyQuery, moveMark, shade, stack, usedBands } from "./histogram";

describe("histogram", () => {
  it("is brushed by keys", () => {
    expect(moveMark("ArrowRight", false, { anchor: 3, at: 3 }, 10)).toEqual({ anchor: 4, at: 4 });
    expect(moveMark("ArrowRight", true, { anchor: 3, at: 3 }, 10)).toEqual({ anchor: 3, at: 4 });
    expect(moveMark("End", true, { anchor: 3, at: 3 }, 10)).toEqual({ anchor: 3, at: 9 });
    expect(moveMark("ArrowLeft", false, { anchor: 0, at: 0 }, 10)).toEqual({ anchor: 0, at: 0 });
    expect(moveMark("a", false, { anchor: 0, at: 0 }, 10)).toBeUndefined();
  });

  it("shows a single error among thousands, on top", () => {
    const parts = stack({ time: "", count: 5001, levels: { DEFAULT: 5000, DEBUG: 0, WARNING: 0, ERROR: 1 } }, 5001, 54);
    expect(parts.map(({ level }) => level)).toEqual(["DEFAULT", "ERROR"]);
    expect(parts[1]!.size).toBe(1.5);
    expect(parts[1]!.y + parts[1]!.size).toBeCloseTo(parts[0]!.y);
  });
});

describe("heat map", () => {
  const map = { bandMilliseconds: [0, 10, 100, 1000, 10_000], buckets: [{ time: "a", count: 1, bands: [0, 1, 0, 0, 0] }, { time: "b", count: 2, bands: [0, 0, 0, 2, 0] }] } as unknown as HeatMap;

  it("has the bands between the quickest and the slowest row, empty ones too", () => {
    expect(usedBands(map)).toEqual([1, 2, 3]);
    expect(usedBands({ ...map, buckets: [] })).toEqual([]);
  });

  it("shows one row beside thousands, and nothing where there is none", () => {
    expect(shade(0, 5000)).toBe(0);
    expect(shade(1, 5000)).toBeGreaterThan(0.2);
    expect(shade(5000, 5000)).toBe(1);
  });

  it("asks for marked bands by conditions that can be read, open at both ends of all bands", () => {
    expect(latencyQuery(map.bandMilliseconds, 1, 2)).toBe("latency:>=0.01 latency:<1");
    expect(latencyQuery(map.bandMilliseconds, 0, 0)).toBe("latency:<0.01");
    expect(latencyQuery(map.bandMilliseconds, 3, 4)).toBe("latency:>=1");
    expect(parse(`${latencyQuery(map.bandMilliseconds, 1, 2)} startTime:>=2026-05-01T10:00:00.000Z startTime:<2026-05-01T11:00:00.000Z`).problems).toEqual([]);
  });
});
