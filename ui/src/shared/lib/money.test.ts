import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addMoney, formatMoney } from "./money";

describe("formatMoney", () => {
  it.each<[string | number | null | undefined, string]>([
    [null, "–"], [undefined, "–"], ["", "–"], ["abc", "–"], [Number.NaN, "–"], ["1.2.3", "–"],
    ["0", "$0.00"], ["-0", "$0.00"], [0, "$0.00"], ["27.634", "$27.63"], ["27.635", "$27.64"], ["0.995", "$1.00"], ["0.994", "$0.9940"],
    ["1234567.891", "$1,234,567.89"], ["0.011", "$0.0110"], ["0.01", "$0.0100"], ["0.0042", "$0.0042"], ["0.00042", "$0.00042"],
    ["0.0000421", "$0.000042"], ["0.000001", "$0.000001"], ["0.0000004", "<$0.000001"], ["-0.0000004", "−<$0.000001"],
    [1e-7, "<$0.000001"], ["1.5e3", "$1,500.00"], ["-3.5", "−$3.50"], [".5", "$0.5000"],
    ["123456789012345678901234.56", "$123,456,789,012,345,678,901,234.56"],
  ])("%s is %s", (amount, text) => expect(formatMoney(amount)).toBe(text));
});

describe("addMoney", () => {
  it("adds what floats cannot", () => {
    expect(addMoney(["0.1", "0.2"])).toBe("0.3");
    expect(addMoney([])).toBe("0");
    expect(addMoney([null, "x", "5", "-7.25"])).toBe("-2.25");
  });
  it("is exact in units of a millionth", () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: -1e9, max: 1e9 })), (millionths) => {
      const texts = millionths.map((value) => `${value}e-6`);
      const sum = millionths.reduce((before, value) => before + BigInt(value), 0n);
      expect(BigInt(addMoney([...texts, "0.000000"]).replace(".", ""))).toBe(sum);
    }));
  });
});
