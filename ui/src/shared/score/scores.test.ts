import { describe, expect, it } from "vitest";
import { type Draft, problemsOf, rangeOf, type ScoreConfig } from "./scores";

const config = (edit: Partial<ScoreConfig>): ScoreConfig => ({ id: "c", projectId: "p", name: "tone", dataType: "NUMERIC", isArchived: false, description: null, minValue: null, maxValue: null, categories: null, createdAt: "", updatedAt: "", ...edit });
const draft = (edit: Partial<Draft>): Draft => ({ config: undefined, name: "tone", dataType: "NUMERIC", value: "1", comment: "", ...edit });

describe("problemsOf", () => {
  it.each<[string, Draft, object]>([
    ["a number", draft({}), {}],
    ["no name", draft({ name: " " }), { name: "Give the score a name." }],
    ["a config has the name", draft({ name: "", config: config({}) }), {}],
    ["no value", draft({ value: " " }), { value: "Give a value." }],
    ["no number", draft({ value: "much" }), { value: "Give a number." }],
    ["too small", draft({ value: "-1", config: config({ minValue: 0, maxValue: 5 }) }), { value: "A number from 0 to 5." }],
    ["too large", draft({ value: "6", config: config({ maxValue: 5 }) }), { value: "A number up to 5." }],
    ["a category", draft({ dataType: "CATEGORICAL", value: "kind" }), {}],
    ["a long text", draft({ dataType: "TEXT", value: "x".repeat(501) }), { value: "At most 500 characters." }],
    ["an empty correction", draft({ dataType: "CORRECTION", name: "", value: "" }), { value: "Say what the output should have been." }],
  ])("%s", (_, given, want) => expect(problemsOf(given)).toEqual(want));
});

it("says which numbers a config takes", () => {
  expect([rangeOf(undefined), rangeOf(config({ minValue: 1 }))]).toEqual(["A number.", "A number from 1 up."]);
});
