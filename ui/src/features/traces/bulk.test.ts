// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import type { Observation } from "./api";
import { toCsv } from "./bulk";

const row = { id: "a1", traceId: "t1", startTime: "2026-05-01T10:00:00.000Z", endTime: null, type: "TOOL", name: 'say "hi", twice', tags: ["x", "y"], latency: -0.5, statusMessage: "=1+1", level: "ERROR" } as unknown as Observation;

describe("csv", () => {
  it("quotes what has commas, and disarms formulas but not numbers", () => {
    const [head, line, rest] = toCsv([row], true).split("\r\n");
    expect(head).toMatch(/^startTime,endTime,id,traceId,/);
    expect(line).toBe(`2026-05-01T10:00:00.000Z,,a1,t1,,TOOL,"say ""hi"", twice",ERROR,'=1+1,,,,,,,x y,,,,-0.5,,,,,`);
    expect(rest).toBe("");
    expect(toCsv([row], false).split("\r\n")).toHaveLength(2);
    expect(toCsv([{ ...row, input: "in", output: null }], true, true)).toMatch(/,totalCost,input,output\r\n.*,in,\r\n$/);
  });
});
