import { describe, expect, it } from "vitest";
import { meaningOf, sumOf, totalsOf } from "./words";

describe("decisions in words", () => {
  const counts = [
    { evaluatorId: null, outcome: "skipped" as const, reason: "filter", count: 70, cost: "0" },
    { evaluatorId: "a", outcome: "evaluated" as const, reason: null, count: 10, cost: "0" },
    { evaluatorId: "b", outcome: "evaluated" as const, reason: null, count: 15, cost: "0" },
    { evaluatorId: "b", outcome: "failed" as const, reason: "threw", count: 5, cost: "0" },
  ];
  it("adds up what ended alike, the largest first", () => {
    const totals = totalsOf(counts);
    expect(totals.map(({ outcome, reason, count }) => [outcome, reason, count])).toEqual([["skipped", "filter", 70], ["evaluated", "", 25], ["failed", "threw", 5]]);
    expect(sumOf(totals)).toBe(100);
    expect(sumOf(totals, "evaluated")).toBe(25);
  });
  it("shows a reason that it does not know as it is", () => {
    expect(meaningOf("sampling")).toBe("not in the sample");
    expect(meaningOf("something new")).toBe("something new");
  });
});
