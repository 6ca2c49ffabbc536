import { expect, it } from "vitest";
import type { Score } from "./api";
import { scoresCsv } from "./csv";

const score = (change: Partial<Score>): Score => ({
  id: "s1", projectId: "p", name: "helpful", dataType: "NUMERIC", value: -0.5, source: "API", timestamp: "2026-05-01T12:00:00.000Z", environment: "default",
  createdAt: "2026-05-01T12:00:00.000Z", updatedAt: "2026-05-01T12:00:00.000Z", comment: null, configId: null, metadata: {}, subject: { kind: "trace", id: "t1" }, authorUserId: null, queueId: null, ...change,
});

it("writes a line per score", () => {
  const lines = scoresCsv([score({}), score({ dataType: "BOOLEAN", value: true, authorUserId: "u1", subject: { kind: "observation", id: "o1", traceId: "t1" } })], () => "Ada").split("\r\n");
  expect(lines).toEqual([
    "id,timestamp,name,value,dataType,source,author,comment,subjectKind,subjectId,traceId,environment",
    "s1,2026-05-01T12:00:00.000Z,helpful,-0.5,NUMERIC,API,,,trace,t1,t1,default",
    "s1,2026-05-01T12:00:00.000Z,helpful,true,BOOLEAN,API,Ada,,observation,o1,t1,default",
    "",
  ]);
});

it("quotes what would break a line, and stops formulas", () => {
  const [, line] = scoresCsv([score({ comment: 'so "good", yes', dataType: "TEXT", value: "=1+1" })], String).split("\r\n");
  expect(line).toContain('"so ""good"", yes"');
  expect(line).toContain(",'=1+1,");
});
