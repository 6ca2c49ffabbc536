import { describe, expect, it } from "vitest";
import type { Evaluator, Rule } from "./api";
import { bodyOf, draftOf, filterOf, newDraft, problemOf, queryOf, queryProblem, ruleColumns, splitFilter, standstill } from "./ruleDraft";

const generations = { type: "stringOptions", column: "type", operator: "any of", value: ["GENERATION"] };
const ofExperiments = { type: "null", column: "experimentId", operator: "is not null", value: null };
const rule = (patch: Partial<Rule> = {}) => ({
  id: "r1", name: "Answers", enabled: true, sampling: 0.123, filter: [ofExperiments, generations], evaluatorAssignments: [{ evaluatorId: "e1", variableMapping: [{ variable: "a", source: "input" }] }], maxRunsPerDay: 10, maxCostPerDay: "2.5", ...patch,
}) as unknown as Rule;

describe("a rule that is written", () => {
  it("is the same after it was read and sent again, its own mappings too", () => {
    const before = rule();
    expect(bodyOf(draftOf(before), before)).toEqual({ name: "Answers", enabled: true, sampling: 0.123, filter: before.filter, evaluatorAssignments: before.evaluatorAssignments, maxRunsPerDay: 10, maxCostPerDay: "2.5" });
  });

  it("keeps what it is about apart from its other conditions", () => {
    expect(splitFilter([ofExperiments, generations])).toEqual({ target: "experiments", conditions: [generations] });
    expect(splitFilter([{ ...ofExperiments, operator: "is null", value: "" }]).target).toBe("live");
    expect(splitFilter([generations]).target).toBe("all");
    expect(filterOf({ target: "live", query: "level:ERROR" }).map(({ column, operator }) => `${column} ${operator}`)).toEqual(["experimentId is null", "level any of"]);
    expect(filterOf({ target: "all", query: "" })).toEqual([]);
    expect(queryOf(rule())).toBe("has:experimentId type:GENERATION");
  });

  it("refuses what rules cannot be filtered by", () => {
    expect(ruleColumns.map(({ column }) => column)).not.toContain("input");
    expect(queryProblem("type:GENERATION -env:dev")).toBeUndefined();
    expect(queryProblem("input:refund")).toContain("no column input");
    expect(queryProblem("refund")).toContain("cannot search for words (refund)");
  });

  it.each([
    [{ name: "" }, "name"],
    [{ evaluatorIds: [] }, "evaluator"],
    [{ percent: null }, "how many"],
    [{ cost: "two" }, "dollars"],
    [{ query: "latency:fast" }, "not a number"],
  ])("says what is missing: %j", (patch, word) => expect(problemOf({ ...newDraft(["e1"]), name: "x", ...patch })).toContain(word));

  it("may be saved without evaluators while it is off", () => {
    expect(problemOf({ ...newDraft([]), name: "x", enabled: false })).toBeUndefined();
  });

  it("tells that it stands still because of a paused evaluator", () => {
    const evaluators = [{ id: "e1", name: "Length", status: "paused" }, { id: "e2", name: "Other", status: "paused" }] as Evaluator[];
    expect(standstill(rule(), evaluators)).toBe("Length is paused, so observations are skipped.");
    expect(standstill(rule({ enabled: false }), evaluators)).toBeUndefined();
    expect(standstill(rule(), [])).toBeUndefined();
  });
});
