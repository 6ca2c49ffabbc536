import type { Condition } from "@/shared/filter/condition";
import { print } from "@/shared/filter/print";
import { scoreColumns } from "@/shared/filter/scores";
import type { View } from "./catalog";
import { conditionsFor, type Scope, type TileQuery } from "./model";

/** What a list calls a dimension of metrics; null: rows cannot be listed by it. */
const columns: Record<string, string | null> = { providedModelName: "model", traceRelease: "release", traceVersion: "version", costType: null, usageType: null, startTimeMonth: null };
const options = new Set(["level", "type", "environment", "source", "dataType"]);
const lists = new Set(["tags", "toolNames", "calledToolNames"]);

/** The types of the scores that a view has. */
const types: Record<Exclude<View, "observations">, string[]> = { "scores-numeric": ["NUMERIC", "BOOLEAN"], "scores-boolean": ["BOOLEAN"], "scores-categorical": ["CATEGORICAL"] };

/** The condition that rows with a value of a dimension meet; undefined: there is none. */
export function conditionOn(view: View, dimension: string, value: unknown): Condition | undefined {
  if (view !== "observations" && dimension === "booleanValue") return { type: "number", column: "value", operator: "=", value: value === true ? 1 : 0 };
  const column = view !== "observations" || columns[dimension] === undefined ? dimension : columns[dimension];
  if (column === null) return undefined;
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) return { type: "null", column, operator: "is null", value: null };
  if (Array.isArray(value)) return { type: "arrayOptions", column, operator: "all of", value: value.map(String) };
  if (lists.has(dimension)) return { type: "arrayOptions", column, operator: "any of", value: [String(value as string)] };
  if (typeof value === "boolean") return { type: "boolean", column, operator: "=", value };
  if (typeof value === "number") return { type: "number", column, operator: "=", value };
  if (options.has(dimension)) return { type: "stringOptions", column, operator: "any of", value: [String(value as string)] };
  return { type: "string", column, operator: "=", value: String(value as string) };
}

/** The condition that all rows meet but those with these values; undefined: there is none. */
export function conditionOnRest(view: View, dimension: string, values: readonly unknown[]): Condition | undefined {
  const column = conditionOn(view, dimension, "any")?.column;
  const texts = values.map((value) => value ?? "").filter((value) => typeof value === "string");
  if (column === undefined || lists.has(dimension) || texts.length < values.length) return undefined;
  return { type: "stringOptions", column, operator: "none of", value: texts };
}

/** A list, and the search of its address. */
export interface Rows {
  list: "observations" | "scores";
  search: { q: string; range: string };
}

/** Where the rows behind a point are listed. Undefined: there is no list of them. */
export function rowsBehind(query: TileQuery, scope: Scope, more: readonly (Condition | undefined)[] = [], time?: { from: number; to: number }): Rows | undefined {
  const { view } = query;
  if (more.includes(undefined)) return undefined;
  const conditions = [...(query.filters ?? []), ...conditionsFor(view, scope.conditions).filters, ...(more as Condition[])];
  const start = Math.max(Date.parse(scope.from), time?.from ?? 0);
  const end = Math.min(Date.parse(scope.to), time?.to ?? Number.POSITIVE_INFINITY);
  const range = `${new Date(start).toISOString()}..${new Date(end).toISOString()}`;
  if (view === "observations") return { list: "observations", search: { q: print(conditions), range } };
  if (!conditions.every(listsScores)) return undefined;
  return { list: "scores", search: { q: print([{ type: "stringOptions", column: "dataType", operator: "any of", value: types[view] }, ...conditions]), range } };
}

/** Scores are counted by what their traces say, too, but listed by what they say themselves. */
const listsScores = ({ column, type }: Condition) => scoreColumns.some((field) => field.column === column && field.operators[type] !== undefined);
