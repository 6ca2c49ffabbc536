import { describe, expect, it } from "vitest";
import { draftOf, settingsOf } from "./AlertForm";

const query = { view: "observations", metrics: [{ measure: "count", aggregation: "count" }], filters: [] };

describe("an alert while it is written", () => {
  it("sends only what its condition has", () => {
    const draft = { ...draftOf({ name: " Rows ", query }), limit: " 5 " };
    expect(settingsOf(draft)).toMatchObject({ name: "Rows", condition: { kind: "threshold", operator: ">", limit: "5" }, windowMinutes: 15, everyMinutes: 5, targetIds: [] });
    expect(settingsOf({ ...draft, kind: "absence" }).condition).toEqual({ kind: "absence" });
    expect(settingsOf({ ...draft, kind: "week-change" }).condition).toEqual({ kind: "week-change", limit: "5", direction: "any" });
  });
});
