// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { type Observation, scoreKey } from "./api";
import { mapScores } from "./scores";

const root = { id: "r", traceId: "t", isRootObservation: true } as Observation;
const step = { id: "s", traceId: "t", isRootObservation: false } as Observation;
const score = (name: string, value: number | boolean | string, subject: object) => ({ name, value, subject }) as never;

describe("scores of rows", () => {
  it("belong to their observation, and those of a trace to its root", () => {
    const found = mapScores([root, step], [score("good", true, { kind: "trace", id: "t" }), score("good", false, { kind: "observation", id: "s", traceId: "t" }), score("good", true, { kind: "session", id: "t" })]);
    expect(found.get(scoreKey(root, "good"))).toEqual({ value: true, count: 1 });
    expect(found.get(scoreKey(step, "good"))).toEqual({ value: false, count: 1 });
  });

  it("of one name are the mean of numbers, else the newest", () => {
    const found = mapScores([root], [score("n", 1, { kind: "trace", id: "t" }), score("n", 2, { kind: "observation", id: "r", traceId: "t" }), score("c", "new", { kind: "trace", id: "t" }), score("c", "old", { kind: "trace", id: "t" })]);
    expect(found.get(scoreKey(root, "n"))).toEqual({ value: 1.5, count: 2 });
    expect(found.get(scoreKey(root, "c"))).toEqual({ value: "new", count: 2 });
  });
});
