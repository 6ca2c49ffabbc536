import fc from "fast-check";
import { expect, it } from "vitest";
import { partsOf } from "./parts";

it("marks words, or whole texts that have little in common", () => {
  expect(partsOf("the red fox", "the blue fox").filter(({ added }) => added)).toMatchObject([{ value: "blue" }]);
  expect(partsOf("one two three four", "five six seven eight")).toEqual([{ value: "one two three four", removed: true }, { value: "\n" }, { value: "five six seven eight", added: true }]);
});

it("keeps words together that changed together", () => {
  expect(partsOf("It left on Monday, by post.", "It left this morning, by post.")).toEqual([
    { value: "It left " }, { value: "on Monday", removed: true }, { value: "this morning", added: true }, { value: ", by post." },
  ]);
});

it("has all of both texts, whatever they are", () => {
  fc.assert(fc.property(fc.string(), fc.string(), (before, after) => {
    const parts = partsOf(before, after);
    const isBreak = ({ value, added, removed }: (typeof parts)[number], at: number) => value === "\n" && !added && !removed && parts.length === 3 && at === 1;
    const text = (without: "added" | "removed") => parts.filter((part, at) => !part[without] && !(isBreak(part, at) && parts[0]!.removed && parts[2]!.added)).map(({ value }) => value).join("");
    expect([text("added"), text("removed")]).toEqual([before, after]);
  }));
});
