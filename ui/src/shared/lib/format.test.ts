import { describe, expect, it } from "vitest";
import { formatBytes, formatCount, formatDuration, formatPercent, formatTokens } from "./format";

describe("formatDuration", () => {
  it.each<[number | null | undefined, string]>([
    [null, "–"], [undefined, "–"], [Number.NaN, "–"], [Infinity, "–"],
    [0, "0 s"], [0.42, "420 µs"], [0.9994, "999 µs"], [0.9995, "1.0 ms"],
    [7.24, "7.2 ms"], [9.94, "9.9 ms"], [9.95, "10 ms"], [19.4, "19 ms"], [999.4, "999 ms"],
    [999.5, "1.00 s"], [1240, "1.24 s"], [9994, "9.99 s"], [9995, "10.0 s"], [59_949, "59.9 s"],
    [59_950, "1m 00s"], [184_000, "3m 04s"], [3_599_400, "59m 59s"], [3_599_500, "1h 00m"],
    [7_500_000, "2h 05m"], [86_399_999, "1d 00h"], [273_600_000, "3d 04h"], [-5, "−5.0 ms"], [-61_000, "−1m 01s"],
  ])("%s is %s", (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe("numbers", () => {
  it.each<[number | null, string]>([[null, "–"], [0, "0"], [999, "999"], [999.6, "1.0k"], [1400, "1.4k"], [9949, "9.9k"], [9950, "10k"], [10_000, "10k"], [999_499, "999k"], [999_500, "1.0M"], [6_120_000, "6.1M"], [2.5e15, "2,500T"], [-1400, "−1.4k"]])(
    "%s tokens are %s", (value, text) => expect(formatTokens(value)).toBe(text),
  );
  it.each<[number | null, string]>([[null, "–"], [0, "0"], [12_345, "12,345"], [1_234_567, "1,234,567"], [-1000, "−1,000"]])(
    "count %s is %s", (value, text) => expect(formatCount(value)).toBe(text),
  );
  it.each([[0, "0 B"], [512, "512 B"], [1500, "1.5 KB"], [20_000_000, "20 MB"], [3e15, "3000 TB"]])(
    "%s bytes are %s", (value, text) => expect(formatBytes(value)).toBe(text),
  );
  it.each([[0, "0 %"], [0.1234, "12.3 %"], [1, "100 %"], [-0.5, "−50.0 %"], [0.9999, "100 %"]])(
    "share %s is %s", (value, text) => expect(formatPercent(value)).toBe(text),
  );
});
