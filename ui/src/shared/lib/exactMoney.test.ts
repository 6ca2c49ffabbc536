import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactMoney, shiftDecimal } from "./exactMoney";

describe("exactMoney", () => {
  it.each<[string | number | null, number, string]>([
    [4e-7, 6, "$0.40"], [0.0000025, 6, "$2.50"], [7.5e-8, 6, "$0.075"], ["0.000001255", 6, "$1.255"], [0, 6, "$0.00"], ["0.001", 6, "$1,000.00"],
    ["1234567.5", 0, "$1,234,567.50"], ["-0.5", 0, "−$0.50"], [null, 6, "–"], ["x", 6, "–"], [1e-12, 6, "$0.000001"], ["0.0000000000001", 6, "$0.0000001"],
  ])("%s by 10^%d is %s", (amount, power, text) => expect(exactMoney(amount, power)).toBe(text));
});

describe("shiftDecimal", () => {
  it("comes back to the same number", () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 12 }), fc.integer({ min: -9, max: 9 }), (digits, places, power) => {
      const text = shiftDecimal(`${digits}e-${places}`, 0)!;
      expect(shiftDecimal(shiftDecimal(text, power)!, -power)).toBe(text);
    }));
  });

  it("says what is no number", () => {
    expect(shiftDecimal("1,5", 6)).toBeNull();
    expect(shiftDecimal("", 6)).toBeNull();
  });
});
