import { describe, expect, it } from "vitest";
import { conditionText, filterText, minutesText, toldText } from "./words";

const query = { view: "observations", metrics: [{ measure: "latency", aggregation: "p95" }] };

describe("alerts in words", () => {
  it.each([
    [{ kind: "threshold", operator: ">", limit: "2000" }, "p95 of latency over 15 minutes > 2000"],
    [{ kind: "absence" }, "no row over 15 minutes"],
    [{ kind: "week-change", direction: "up", limit: "50" }, "p95 of latency over 15 minutes rose by 50 % or more against last week"],
  ] as const)("%j", (condition, text) => expect(conditionText({ query, condition, windowMinutes: 15 })).toBe(text));
  it.each([[1, "a minute"], [60, "an hour"], [90, "90 minutes"], [1440, "a day"], [2880, "2 days"]])("%i minutes", (minutes, text) => expect(minutesText(minutes)).toBe(text));
  it("says which rows count", () => {
    expect(filterText({ query })).toBe("");
    expect(filterText({ query: { ...query, filters: [{ type: "stringOptions", column: "level", operator: "any of", value: ["ERROR"] }] } })).toBe("level:ERROR");
  });
  it("says what became of messages", () => {
    expect(toldText([], true)).toBe("muted");
    expect(toldText([{ state: "delivered" }, { state: "pending" }, { state: "delivered" }], false)).toBe("2 told, 1 being told");
  });
});
