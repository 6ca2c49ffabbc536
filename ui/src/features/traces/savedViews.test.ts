// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { parseSearch } from "@/shared/lib/search";
import { isModified, namesViewOnly, type SavedView, searchOf, stateOf } from "./savedViews";

const view = { id: "v1", state: "range=7d&q=level%3AERROR" } as SavedView;

describe("saved views", () => {
  it("keep what a list shows, not which row is open", () => {
    expect(stateOf(parseSearch("?peek=a&range=7d&q=level%3AERROR&view=v1"))).toBe("q=level%3AERROR&range=7d");
  });
  it("notice that the list was changed", () => {
    expect(isModified(parseSearch("?q=level%3AERROR&range=7d&peek=x"), view)).toBe(false);
    expect(isModified(parseSearch("?q=level%3AERROR"), view)).toBe(true);
    expect(isModified({ ...searchOf(view) }, view)).toBe(false);
  });
  it("have an address of their own", () => {
    expect({ ...searchOf(view) }).toEqual({ q: "level:ERROR", range: "7d", view: "v1" });
    expect(namesViewOnly({ view: "v1" })).toBe(true);
    expect(namesViewOnly({ view: "v1", q: "x" })).toBe(false);
    expect(namesViewOnly({ view: "none" })).toBe(false);
  });
});
