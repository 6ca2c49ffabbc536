import { describe, expect, it } from "vitest";
import { moveMark, stack } from "./histogram";

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
