import type { Condition } from "@/shared/filter/condition";
import { print } from "@/shared/filter/print";
import type { Scope, TileQuery } from "./model";

/** What a list calls a dimension of metrics; null: rows cannot be listed by it. */
const columns: Record<string, string | null> = { providedModelName: "model", traceRelease: "release", traceVersion: "version", costType: null, usageType: null, startTimeMonth: null };
const options = new Set(["level", "type", "environment"]);
const lists = new Set(["tags", "toolNames", "calledToolNames"]);

/** The condition that rows with a value of a dimension meet; undefined: there is none. */
export function conditionOn(dimension: string, value: unknown): Condition | undefined {
  const column = columns[dimension] === undefined ? dimension : columns[dimension];
  if (column === null) return undefined;
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) return { type: "null", column, operator: "is null", value: null };
  if (Array.isArray(value)) return { type: "arrayOptions", column, operator: "all of", value: value.map(String) };
  if (lists.has(dimension)) return { type: "arrayOptions", column, operator: "any of", value: [String(value as string)] };
  if (typeof value === "boolean") return { type: "boolean", column, operator: "=", value };
  if (typeof value === "number") return { type: "number", column, operator: "=", value };
  if (options.has(dimension)) return { type: "stringOptions", column, operator: "any of", value: [String(value as string)] };
  return { type: "string", column, operator: "=", value: String(value as string) };
}

/** Where the rows behind a point are listed: the search of the list's address. Undefined: there is no list of them. */
export function rowsBehind(query: TileQuery, scope: Scope, more: readonly (Condition | undefined)[] = [], time?: { from: number; to: number }): { q: string; range: string } | undefined {
  if (query.view !== "observations" || more.includes(undefined)) return undefined;
  const conditions = [...(query.filters ?? []), ...scope.conditions, ...(more as Condition[])];
  const start = Math.max(Date.parse(scope.from), time?.from ?? 0);
  const end = Math.min(Date.parse(scope.to), time?.to ?? Number.POSITIVE_INFINITY);
  return { q: print(conditions), range: `${new Date(start).toISOString()}..${new Date(end).toISOString()}` };
}
