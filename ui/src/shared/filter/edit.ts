import { findField, observationColumns } from "./catalog";
import type { Condition, Query } from "./condition";
import { parse } from "./parse";
import { printCondition } from "./print";

/** How a query treats one value of a column. */
export type Treatment = "include" | "exclude" | undefined;

/** Writes the query anew with other conditions. Terms that stay are kept letter by letter, problems too. */
function rewrite(query: Query, change: (condition: Condition) => Condition | null, added: readonly Condition[] = []): string {
  const parts: string[] = [];
  for (const term of query.terms) {
    const now = term.condition === undefined ? undefined : change(term.condition);
    if (now === null) continue;
    parts.push(now === undefined || now === term.condition ? query.text.slice(term.from, term.to) : printCondition(now));
  }
  return [...parts, ...added.map(printCondition)].join(" ");
}

export function addCondition(text: string, condition: Condition): string {
  return [text.trim(), printCondition(condition)].filter((part) => part !== "").join(" ");
}

/** Takes one term out, by its place in the query. */
export function removeTerm(text: string, index: number): string {
  const { terms } = parse(text);
  return terms.flatMap(({ from, to }, i) => (i === index ? [] : text.slice(from, to))).join(" ");
}

/** Takes out every condition on a column. */
export function removeColumn(text: string, column: string): string {
  return rewrite(parse(text), (condition) => (condition.column === column ? null : condition));
}

/** Puts conditions on a column in the place of those that are there. */
export function replaceColumn(text: string, column: string, conditions: readonly Condition[]): string {
  return rewrite(parse(text), (condition) => (condition.column === column ? null : condition), conditions);
}

/** How the query treats a value; null stands for rows without one. */
export function treatmentOf(query: Query, column: string, value: string | null): Treatment {
  for (const condition of query.conditions) {
    if (condition.column !== column) continue;
    if (condition.type === "null" && value === null) return condition.operator === "is null" ? "include" : "exclude";
    if (value === null) continue;
    if (condition.type === "string" && condition.operator === "=" && condition.value === value) return "include";
    if ((condition.type === "stringOptions" || condition.type === "arrayOptions") && condition.value.includes(value)) {
      return condition.operator === "none of" ? "exclude" : "include";
    }
  }
  return undefined;
}

/** The values of a column that the query names. */
export function namedValues(query: Query, column: string): string[] {
  return query.conditions.flatMap((condition) => {
    if (condition.column !== column) return [];
    if (condition.type === "stringOptions" || condition.type === "arrayOptions") return condition.value;
    return condition.type === "string" && condition.operator === "=" ? condition.value : [];
  });
}

/** Makes the query include a value, exclude it, or not mind it. Values of one column are joined by OR. */
export function treat(text: string, column: string, value: string | null, treatment: Treatment): string {
  const without = dropValue(text, column, value);
  if (treatment === undefined) return without;
  if (value === null) return addCondition(without, { type: "null", column, operator: treatment === "include" ? "is null" : "is not null", value: null });
  const operator = treatment === "include" ? "any of" : "none of";
  let joined = false;
  const query = parse(without);
  const result = rewrite(query, (condition) => {
    if (joined || condition.column !== column) return condition;
    if (condition.type === "string" && condition.operator === "=" && operator === "any of") {
      joined = true;
      return { type: "stringOptions", column, operator, value: [condition.value, value] };
    }
    if ((condition.type !== "stringOptions" && condition.type !== "arrayOptions") || condition.operator !== operator) return condition;
    joined = true;
    return { ...condition, value: [...condition.value, value] };
  });
  if (joined) return result;
  const type = findField(observationColumns, column)?.kind === "list" ? "arrayOptions" : "stringOptions";
  return addCondition(without, { type, column, operator, value: [value] });
}

function dropValue(text: string, column: string, value: string | null): string {
  return rewrite(parse(text), (condition) => {
    if (condition.column !== column) return condition;
    if (value === null) return condition.type === "null" ? null : condition;
    if (condition.type === "string" && condition.operator === "=" && condition.value === value) return null;
    if ((condition.type !== "stringOptions" && condition.type !== "arrayOptions") || !condition.value.includes(value)) return condition;
    const rest = condition.value.filter((one) => one !== value);
    return rest.length === 0 ? null : { ...condition, value: rest };
  });
}

const aboutKey = (condition: Condition, key: string) => condition.type === "stringObject" && condition.key === key && (condition.operator === "is set" || condition.operator === "is not set");

/** How the query treats rows that have a key of metadata. */
export function keyTreatmentOf(query: Query, key: string): Treatment {
  const found = query.conditions.find((condition) => aboutKey(condition, key));
  if (found === undefined) return undefined;
  return found.operator === "is set" ? "include" : "exclude";
}

/** Makes the query include rows with a key of metadata, exclude them, or not mind. */
export function treatKey(text: string, key: string, treatment: Treatment): string {
  const without = rewrite(parse(text), (condition) => (aboutKey(condition, key) ? null : condition));
  if (treatment === undefined) return without;
  return addCondition(without, { type: "stringObject", column: "metadata", key, operator: treatment === "include" ? "is set" : "is not set", value: "" });
}
