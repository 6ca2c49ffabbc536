import { describe, expect, it } from "vitest";
import type { ScoreAgreement } from "../api";
import { optionsOf, queryOf } from "./choices";
import { correlationWord, explain, kappaWord } from "./words";

const nothing: ScoreAgreement = {
  pairs: 0, onlyA: 0, onlyB: 0, share: null, expectedShare: null, kappa: null, weightedKappa: null, pearson: null, spearman: null, meanAbsoluteError: null, matrix: { a: [], b: [], counts: [] },
};

describe("words for agreement", () => {
  it("has a word for every band", () => {
    expect([-0.1, 0, 0.19, 0.3, 0.5, 0.61, 0.9, 1].map(kappaWord)).toEqual(["worse than chance", "slight", "slight", "fair", "moderate", "substantial", "almost perfect", "almost perfect"]);
    expect([0.05, 0.2, -0.4, 0.6, -0.95].map(correlationWord)).toEqual(["no", "a weak", "a moderate opposite", "a strong", "a very strong opposite"]);
  });
  it("says that nothing has both", () => expect(explain(nothing)[0]).toContain("Nothing has both scores"));
  it("explains raters", () => {
    const words = explain({ ...nothing, pairs: 100, onlyA: 3, share: 0.75, expectedShare: 0.5, kappa: 0.5 }).join(" ");
    expect(words).toContain("100 things have both scores; 3 only the first and 0 only the second.");
    expect(words).toContain("Cohen's kappa of 0.5 means moderate agreement beyond chance");
    expect(words).not.toContain("may well be chance");
  });
  it("says why there is no kappa", () => expect(explain({ ...nothing, pairs: 40, share: 1, expectedShare: 1 }).join(" ")).toContain("Kappa is not defined"));
  it("explains numbers, and warns of few", () => {
    const words = explain({ ...nothing, pairs: 5, pearson: 0.8, spearman: 0.7, meanAbsoluteError: 0.125 }).join(" ");
    expect(words).toContain("Pearson's correlation of 0.8 means a very strong linear relation");
    expect(words).toContain("On average they are 0.125 apart.");
    expect(words).toContain("may well be chance");
  });
});

it("offers scores as a whole and by author", () => {
  const kind = { name: "is helpful", dataType: "BOOLEAN", source: "ANNOTATION", authorUserId: "u1", count: 3 } as const;
  const options = optionsOf([kind, { ...kind, authorUserId: "u2", count: 4 }, { ...kind, name: "why", dataType: "TEXT" }], (id) => id.toUpperCase());
  expect(options.map(({ label, count }) => [label, count])).toEqual([["is helpful", 7], ["is helpful by U1", 3], ["is helpful by U2", 4]]);
  expect(queryOf(kind, "u1")).toBe('name:"is helpful" dataType:BOOLEAN source:ANNOTATION authorUserId:u1');
});
