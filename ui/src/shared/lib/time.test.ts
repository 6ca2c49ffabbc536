import { describe, expect, it } from "vitest";
import { absoluteTime, isTimeZone, relativeTime } from "./time";

const now = Date.parse("2026-11-15T16:49:23.123Z");
const ago = (ms: number) => now - ms;

describe("relativeTime", () => {
  it.each<[Date | string | number | null, string]>([
    [null, "–"], ["never", "–"], [now, "just now"], [ago(4999), "just now"], [ago(5000), "5 s ago"], [ago(59_999), "59 s ago"],
    [ago(60_000), "1 min ago"], [ago(3_599_999), "59 min ago"], [ago(3_600_000), "1 h ago"], [ago(86_400_000), "1 d ago"],
    [ago(29 * 86_400_000), "29 d ago"], [ago(30 * 86_400_000), "2026-10-16"], [now + 10_000, "just now"], [now + 11_000, "in 11 s"], [now + 120_000, "in 2 min"], [new Date(ago(7000)), "7 s ago"],
  ])("%s is %s", (at, text) => expect(relativeTime(at, now, "UTC")).toBe(text));
});

describe("absoluteTime", () => {
  it("shows the chosen zone", () => {
    expect(absoluteTime(now, "UTC")).toBe("2026-11-15 16:49:23");
    expect(absoluteTime(now, "UTC", true)).toBe("2026-11-15 16:49:23.123");
    expect(absoluteTime(now, "Asia/Kolkata")).toBe("2026-11-15 22:19:23");
    expect(absoluteTime("2026-11-15T00:00:00Z", "UTC")).toBe("2026-11-15 00:00:00");
  });
  it("takes a zone nobody knows as the browser's", () => {
    expect(absoluteTime(now, "Mars/Olympus")).toBe(absoluteTime(now, "local"));
    expect(isTimeZone("Mars/Olympus")).toBe(false);
    expect(absoluteTime(undefined, "UTC")).toBe("–");
  });
});
