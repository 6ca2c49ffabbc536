import { expect, it } from "vitest";
import { bodyOf, draftOf, emptyDraft, problemsOf, withCategory } from "./draft";

it("finds what the server would refuse", () => {
  expect([...problemsOf(emptyDraft).keys()]).toEqual(["name"]);
  expect([...problemsOf({ ...emptyDraft, name: "a/b" }).keys()]).toEqual(["name"]);
  expect(problemsOf({ ...emptyDraft, name: "tone (1-5)" }).size).toBe(0);
  const numeric = { ...emptyDraft, name: "n", dataType: "NUMERIC" as const };
  expect([...problemsOf({ ...numeric, min: "1", max: "1" }).keys()]).toEqual(["max"]);
  expect([...problemsOf({ ...numeric, min: "x", max: "" }).keys()]).toEqual(["min"]);
  const twice = withCategory({ ...emptyDraft, name: "n" });
  expect(twice.at(-1)).toEqual({ key: 3, label: "", value: "2" });
  expect([...problemsOf({ ...emptyDraft, name: "n", categories: twice }).keys()]).toEqual([3]);
  expect([...problemsOf({ ...emptyDraft, name: "n", categories: [...emptyDraft.categories, { key: 3, label: "Good", value: "9" }] }).keys()]).toEqual([2, 3]);
});

it("sends only what belongs to the type", () => {
  expect(bodyOf({ ...emptyDraft, name: " tone ", min: "1" })).toEqual({ name: "tone", description: "", categories: [{ label: "Bad", value: 0 }, { label: "Good", value: 1 }] });
  expect(bodyOf({ ...emptyDraft, name: "n", dataType: "NUMERIC", min: "0", max: "" })).toEqual({ name: "n", description: "", minValue: 0 });
});

it("begins an edit with what there is", () => {
  const draft = draftOf({ id: "c", projectId: "p", name: "n", dataType: "NUMERIC", isArchived: false, description: null, minValue: 0, maxValue: null, categories: null, createdAt: "", updatedAt: "" });
  expect(draft).toMatchObject({ name: "n", min: "0", max: "", description: "", categories: [] });
});
