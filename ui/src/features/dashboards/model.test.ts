import { describe, expect, it } from "vitest";
import { parse } from "@/shared/filter/parse";
import { scoreColumns } from "@/shared/filter/scores";
import { formatMoney } from "@/shared/lib/money";
import { formatOf } from "./catalog";
import { metricsCurl } from "./curl";
import { conditionOn, conditionOnRest, rowsBehind } from "./drill";
import { askedOf, conditionsFor, keptQuery, type Scope, type Tile, type TileQuery } from "./model";
import { colorsOf, coursesOf, noteOf, pivotOf } from "./series";

const count = { measure: "count", aggregation: "count" };
const p95 = { measure: "latency", aggregation: "p95" };
const query: TileQuery = { view: "observations", metrics: [count], dimensions: [{ field: "providedModelName" }], filters: [{ type: "stringOptions", column: "level", operator: "any of", value: ["ERROR"] }] };
const tile: Tile = { id: "t", title: "T", kind: "bars", x: 0, y: 0, w: 6, h: 4, query };
const scope: Scope = { from: "2026-05-01T00:00:00.000Z", to: "2026-05-01T03:00:00.000Z", conditions: [{ type: "number", column: "latency", operator: ">", value: 2 }] };
const scores: TileQuery = { view: "scores-boolean", metrics: [count] };
const times = [0, 3600, 7200];
const at = (hour: number) => `1970-01-01T0${hour}:00:00Z`;

describe("the query of a tile", () => {
  it("has the filters of the tile and of the page, and ends before the range does", () => {
    const asked = askedOf(tile, query, scope);
    expect(asked).toMatchObject({ timeDimension: { granularity: "hour" }, toTimestamp: "2026-05-01T02:59:59.999Z", orderBy: [{ field: "count_count", direction: "desc" }] });
    expect(asked.filters).toHaveLength(2);
  });
  it("is ordered by time without groups, so that the server fills no gaps with zeros", () => {
    expect(askedOf(tile, { ...query, dimensions: [] }, scope)).toMatchObject({ orderBy: [{ field: "time_dimension", direction: "asc" }] });
  });
  it("is kept ranked where rows are ranked", () => expect(keptQuery("bar-list", query).orderBy).toEqual([{ field: "count_count", direction: "desc" }]));
  it("says which conditions scores do not know, and never drops them", () => {
    expect(conditionsFor("scores-numeric", [...scope.conditions, { type: "string", column: "model", operator: "=", value: "m" }])).toEqual({ filters: [{ type: "string", column: "observationModelName", operator: "=", value: "m" }], foreign: ["latency"] });
  });
  it("is a command for a shell, quotes and all", () => expect(metricsCurl("http://x", { a: "it's" })).toContain(`'query={"a":"it'\\''s"}'`));
});

describe("courses", () => {
  it("break where a percentile has no value, and are 0 where nothing is counted", () => {
    const rows = [{ time_dimension: at(0), count_count: 2, p95_latency: 10 }];
    const { series } = coursesOf({ view: "observations", metrics: [count, p95] }, times, rows);
    expect(series.map(({ values }) => values)).toEqual([[2, 0, 0], [10, null, null]]);
  });
  it("sum up what has no series of its own, and say so", () => {
    const rows = Array.from({ length: 10 }, (_, index) => ({ time_dimension: at(0), providedModelName: `m${index}`, count_count: 10 - index }));
    const courses = coursesOf(query, times, rows);
    expect(courses.series.at(-1)).toMatchObject({ label: "3 others", values: [6, 0, 0] });
    expect(noteOf(courses, "providedModelName", false)).toBe("the top 7 of 10");
  });
  it("leave others out where a sum means nothing", () => {
    const rows = Array.from({ length: 10 }, (_, index) => ({ time_dimension: at(0), providedModelName: `m${index}`, p95_latency: index }));
    expect(coursesOf({ ...query, metrics: [p95] }, times, rows).series).toHaveLength(7);
  });
  it("give a name the same colour in every chart", () => {
    const [first] = colorsOf("providedModelName", ["gpt-4o"]);
    expect(colorsOf("providedModelName", ["another", "gpt-4o"]).includes(first!)).toBe(true);
    expect(new Set(colorsOf("name", ["a", "b", "c", "d", "e", "f", "g", "h"])).size).toBe(8);
    expect(colorsOf("level", ["ERROR", "WARNING"])).toEqual(["danger", "warn"]);
  });
});

describe("drilling down", () => {
  it("lists the rows of a point by the same conditions", () => {
    const { list, search } = rowsBehind(query, scope, [conditionOn("observations", "providedModelName", "gpt 4")], { from: Date.parse("2026-05-01T01:00:00Z"), to: Date.parse("2026-05-01T02:00:00Z") })!;
    expect(list).toBe("observations");
    expect(search.range).toBe("2026-05-01T01:00:00.000Z..2026-05-01T02:00:00.000Z");
    expect(parse(search.q).problems).toEqual([]);
    expect(parse(search.q).conditions).toEqual([...query.filters!, ...scope.conditions, { type: "string", column: "model", operator: "=", value: "gpt 4" }]);
  });
  it.each([[null, "null"], [[], "null"], [["a", "b"], "arrayOptions"], [true, "boolean"], [3, "number"]])("%j has a condition", (value, type) => expect(conditionOn("observations", "x", value)?.type).toBe(type));
  it("knows what no list has", () => {
    expect(conditionOn("observations", "costType", "input")).toBeUndefined();
    expect(rowsBehind({ ...scores, filters: [{ type: "arrayOptions", column: "tags", operator: "any of", value: ["a"] }] }, scope)).toBeUndefined();
    expect(conditionOnRest("observations", "tags", ["a"])).toBeUndefined();
  });
  it("lists scores by the types of their view", () => {
    const filtered: Scope = { ...scope, conditions: [{ type: "stringOptions", column: "environment", operator: "any of", value: ["production"] }] };
    const { list, search } = rowsBehind(scores, filtered, [conditionOn("scores-boolean", "booleanValue", true), conditionOn("scores-boolean", "name", "is it good")])!;
    expect(list).toBe("scores");
    expect(parse(search.q, scoreColumns)).toMatchObject({
      problems: [],
      conditions: [
        { column: "dataType", value: ["BOOLEAN"] }, filtered.conditions[0],
        { type: "number", column: "value", operator: "=", value: 1 }, { type: "string", column: "name", operator: "=", value: "is it good" },
      ],
    });
  });
  it("lists what has no series of its own", () => {
    const rest = conditionOnRest("observations", "providedModelName", ["gpt 4", null])!;
    expect(rest).toEqual({ type: "stringOptions", column: "model", operator: "none of", value: ["gpt 4", ""] });
    expect(parse(rowsBehind({ ...query, filters: [] }, { ...scope, conditions: [] }, [rest])!.search.q)).toMatchObject({ problems: [], conditions: [rest] });
  });
});

it("makes columns of the second dimension", () => {
  const rows = [{ name: "a", level: "ERROR", count_count: 1 }, { name: "a", level: "DEFAULT", count_count: 2 }, { name: "b", level: "ERROR", count_count: 3 }];
  const pivot = pivotOf("observations", { view: "observations", metrics: [count], dimensions: [{ field: "name" }, { field: "level" }] }, rows, (field) => field);
  expect(pivot.columns.map(({ label }) => label)).toEqual(["ERROR", "DEFAULT"]);
  expect(pivot.rows.map(({ label, cells }) => [label, ...cells])).toEqual([["a", 1, 2], ["b", 3, null]]);
  const flat = pivotOf("observations", { view: "observations", metrics: [count, p95], dimensions: [{ field: "name" }, { field: "level" }] }, rows, (field) => field);
  expect(flat.rows.map(({ label, values }) => [label, ...values])).toEqual([["a, ERROR", "a", "ERROR"], ["a, DEFAULT", "a", "DEFAULT"], ["b, ERROR", "b", "ERROR"]]);
});

it("writes money without digits that nobody wrote", () => expect(formatOf("observations", { measure: "totalCost", aggregation: "sum" })(0.1 + 0.2)).toBe(formatMoney("0.3")));
