import { describe, expect, it } from "vitest";
import { describeRange, fixRange, fixedRange, parseRange, presets, printRange, rangeWith, resolveRange, widerRange } from "./range";

const now = Date.parse("2026-05-02T10:00:00Z");

describe("range", () => {
  it.each([...presets, "3h", "2026-05-01T00:00:00.000Z..2026-05-02T00:00:00.000Z"])("keeps %s", (text) => {
    expect(printRange(parseRange(text)) ?? "24h").toBe(text);
  });

  it.each([undefined, "", "0h", "forever", "9999d", "2026-05-02..2026-05-01", "a..b", "2026-05-01..2026-05-02..2026-05-03"])("reads %s as the default", (text) => {
    expect(printRange(parseRange(text))).toBeUndefined();
  });

  it("ends now, or where it was fixed", () => {
    expect(resolveRange(parseRange("1h"), now)).toEqual({ from: "2026-05-02T09:00:00.000Z", to: "2026-05-02T10:00:00.000Z" });
    const fixed = fixRange(parseRange("1h"), now);
    expect(resolveRange(fixed, now + 5_000_000)).toEqual(resolveRange(parseRange("1h"), now));
    expect(fixedRange(now, now - 1000)).toEqual({ from: "2026-05-02T09:59:59.000Z", to: "2026-05-02T10:00:00.000Z" });
  });

  it("grows", () => {
    expect(widerRange(parseRange("1h"))).toEqual({ last: "6h" });
    expect(widerRange(parseRange("30d"))).toEqual({ last: "60d" });
    expect(widerRange(fixedRange(now, now + 2000))).toEqual(fixedRange(now - 1000, now + 3000));
  });

  it("moves to a moment", () => {
    expect(rangeWith(parseRange("1h"), now, "2026-01-01T12:00:00Z")).toEqual({ from: "2026-01-01T11:30:00.000Z", to: "2026-01-01T12:30:00.000Z" });
  });

  it("has words", () => {
    expect(describeRange(parseRange("24h"))).toBe("Last 24 hours");
    expect(describeRange(parseRange("1h"))).toBe("Last hour");
    expect(describeRange(fixedRange(now, now + 3_600_000), "UTC")).toBe("2 May 10:00 – 11:00");
  });
});
