import { describe, expect, it } from "vitest";
import { keyOf, kindOf, meaningOf, resultText, runsOf, sumOf, totalsOf } from "./words";

const counts = [
  { evaluatorId: null, outcome: "skipped" as const, reason: "filter", count: 70, cost: "0" },
  { evaluatorId: "a", outcome: "evaluated" as const, reason: null, count: 10, cost: "0" },
  { evaluatorId: "b", outcome: "evaluated" as const, reason: null, count: 15, cost: "0" },
  { evaluatorId: "b", outcome: "skipped" as const, reason: "budget_runs", count: 3, cost: "0" },
  { evaluatorId: "b", outcome: "failed" as const, reason: "threw", count: 5, cost: "0" },
];

describe("decisions in words", () => {
  it("adds up what ended alike, the largest first", () => {
    const totals = totalsOf(counts);
    expect(totals.map(({ outcome, reason, count }) => [outcome, reason, count])).toEqual([["skipped", "filter", 70], ["evaluated", "", 25], ["failed", "threw", 5], ["skipped", "budget_runs", 3]]);
    expect(sumOf(totals)).toBe(103);
    expect(sumOf(totals, "evaluated")).toBe(25);
  });
  it("counts as runs of an evaluator what it did, not what it was kept from", () => {
    expect(runsOf("b", counts)).toEqual({ runs: 20, failed: 5 });
    expect(runsOf("nobody", counts)).toEqual({ runs: 0, failed: 0 });
  });
  it("has a kind in the address, and shows all for what is none", () => {
    for (const total of totalsOf(counts)) expect(kindOf(keyOf(total))).toEqual({ outcome: total.outcome, reason: total.reason });
    expect(kindOf("exploded threw")).toEqual({ outcome: "", reason: "" });
  });
  it("shows a reason that it does not know as it is", () => {
    expect(meaningOf("sampling")).toBe("not in the sample");
    expect(meaningOf("something new")).toBe("something new");
  });
  it("says what a backfill did", () => {
    expect(resultText({ evaluated: 3, skipped: 2, failed: 1, rows: 5 } as never)).toBe("3 evaluated, 2 skipped, 1 failed");
  });
});
