import { describe, expect, it } from "vitest";
import { addCondition, removeTerm, replaceColumn, treat, treatmentOf } from "./edit";
import { parse } from "./parse";

describe("treat", () => {
  it.each([
    ["", "level", "ERROR", "include", "level:ERROR"],
    ["level:ERROR", "level", "WARNING", "include", "level:(ERROR OR WARNING)"],
    ["level:=ERROR", "level", "WARNING", "include", "level:(ERROR OR WARNING)"],
    ["level:(ERROR OR WARNING)", "level", "ERROR", undefined, "level:WARNING"],
    ["level:ERROR x", "level", "ERROR", "exclude", "x -level:ERROR"],
    ["-env:dev", "environment", "test", "exclude", "-environment:(dev OR test)"],
    ["tags:(a AND b)", "tags", "c", "include", "tags:(a AND b) tags:c"],
    ["", "userId", null, "include", "-has:userId"],
    ["-has:userId", "userId", null, undefined, ""],
    ["nope:x latency:>2", "name", "a b", "include", 'nope:x latency:>2 name:"a b"'],
  ] as const)("%s, %s %s %s", (text, column, value, treatment, want) => {
    const got = treat(text, column, value, treatment);
    expect(got).toBe(want);
    expect(treatmentOf(parse(got), column, value)).toBe(treatment);
  });
});

describe("terms", () => {
  it("keeps the others letter by letter", () => {
    expect(removeTerm('env:dev  nope:x "two words"', 0)).toBe('nope:x "two words"');
    expect(removeTerm("env:dev nope:x", 1)).toBe("env:dev");
  });
  it("adds and replaces conditions", () => {
    const above = { type: "number", column: "latency", operator: ">", value: 1 } as const;
    expect(addCondition(" env:dev ", above)).toBe("env:dev latency:>1");
    expect(replaceColumn("latency:>5 latency:<9 x", "latency", [above])).toBe("x latency:>1");
  });
});
