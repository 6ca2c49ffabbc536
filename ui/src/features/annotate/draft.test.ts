import { describe, expect, it } from "vitest";
import type { QueueItem, ScoreConfig } from "./api";
import { choicesOf, emptyDraft, problemsIn, readDraft, scoresOf, targetOf, withScore } from "./draft";

const config = (change: Partial<ScoreConfig>): ScoreConfig => ({
  id: "c1", projectId: "p", name: "tone", dataType: "CATEGORICAL", isArchived: false, description: null, minValue: null, maxValue: null, categories: [{ label: "Rude", value: 0 }, { label: "Kind", value: 1 }], createdAt: "", updatedAt: "", ...change,
});
const item: QueueItem = { id: "i1", queueId: "q1", objectId: "t1", objectType: "TRACE", status: "PENDING", completedAt: null, createdAt: "", updatedAt: "" };
const stars = config({ id: "c2", name: "stars", dataType: "NUMERIC", minValue: 1, maxValue: 5, categories: null });
const helpful = config({ id: "c3", name: "helpful", dataType: "BOOLEAN", categories: null });

describe("a draft", () => {
  it("is read as far as it is understood", () => {
    expect(readDraft(null)).toEqual(emptyDraft);
    expect(readDraft({ scores: { c1: { value: "Kind" }, c2: { value: 3 }, c3: null }, correction: 7 })).toEqual({ scores: { c1: { value: "Kind", comment: "" } }, correction: null });
  });

  it("needs one score or a correction, and holds each to its config", () => {
    expect(problemsIn(emptyDraft, [stars]).get("")).toContain("at least one");
    expect(problemsIn({ ...emptyDraft, correction: "better" }, [stars]).size).toBe(0);
    expect(problemsIn(withScore(emptyDraft, "c2", { value: "9" }), [stars]).get("c2")).toBe("A number from 1 to 5.");
  });

  it("becomes scores that are the same each time", () => {
    let draft = withScore(emptyDraft, "c1", { value: "Kind", comment: " warm " });
    draft = withScore(withScore(draft, "c2", { value: "4" }), "c3", { value: "0" });
    const scores = scoresOf({ ...draft, correction: "Better." }, [config({}), stars, helpful], item, { traceId: "t1" }, "u1");
    expect(scores).toMatchObject([
      { id: "review-i1-u1-c1", traceId: "t1", queueId: "q1", value: "Kind", comment: "warm", source: "ANNOTATION", configId: "c1" },
      { id: "review-i1-u1-c2", value: 4 }, { id: "review-i1-u1-c3", value: 0, dataType: "BOOLEAN" }, { id: "review-i1-u1-output", dataType: "CORRECTION", value: "Better." },
    ]);
    expect(scoresOf({ ...emptyDraft, correction: "x" }, [], { ...item, objectType: "SESSION" }, { sessionId: "s" }, "u1")).toEqual([]);
  });
});

it("knows where scores belong, and what digits choose", () => {
  expect(targetOf(item, null)).toEqual({ traceId: "t1" });
  expect(targetOf({ ...item, objectType: "OBSERVATION", objectId: "o1" }, "t9")).toEqual({ traceId: "t9", observationId: "o1" });
  expect(targetOf({ ...item, objectType: "OBSERVATION" }, null)).toBeNull();
  expect(choicesOf(helpful).map(({ label }) => label)).toEqual(["Yes", "No"]);
  expect(choicesOf(stars)).toEqual([]);
});
