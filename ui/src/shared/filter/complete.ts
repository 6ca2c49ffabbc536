import { type Catalog, exampleOf, type Field, findField, observationColumns } from "./catalog";
import { printKey, printValue } from "./print";

export interface Completion {
  /** What the list shows. */
  label: string;
  /** What takes the place of the text between from and to. */
  insert: string;
  detail?: string;
}

export interface Completions {
  from: number;
  to: number;
  items: Completion[];
}

/** Values that are known of columns, most frequent first. */
export type Known = Record<string, readonly { value: string | null; count: number }[]>;

const most = 12;

/** What may stand at the caret: names of columns, operators, values that rows have. */
export function complete(text: string, caret: number, known: Known = {}, catalog: Catalog = observationColumns): Completions {
  const start = termStart(text, caret);
  const body = text[start] === "-" ? start + 1 : start;
  const colon = text.slice(body, caret).search(/:/);
  if (colon < 0) return completeKey(text, body, caret, known, catalog) ?? completeColumn(text, body, caret, catalog);
  const name = text.slice(body, body + colon);
  const valueStart = body + colon + 1;
  if (name.toLowerCase() === "has") return completeHas(text, valueStart, caret, known, catalog);
  const [column] = name.split(".", 1);
  const field = findField(catalog, column!);
  if (field === undefined) return { from: caret, to: caret, items: [] };
  return completeValue(text, valueStart, caret, field, name, known);
}

function completeColumn(text: string, from: number, caret: number, catalog: Catalog): Completions {
  const typed = text.slice(from, caret).toLowerCase();
  const to = wordEnd(text, caret);
  if (typed.startsWith('"')) return { from, to, items: [] };
  const named = catalog.filter((field) => matches(field, typed)).toSorted((a, b) => rank(a, typed) - rank(b, typed));
  const items = named.slice(0, most).map((field) => ({
    label: field.column,
    insert: field.kind === "metadata" ? `${field.column}.` : `${field.column}:`,
    detail: exampleOf(field),
  }));
  if ("has".startsWith(typed) && typed !== "") items.unshift({ label: "has", insert: "has:", detail: "has:endTime" });
  return { from, to, items };
}

/** Keys of metadata that rows have, once the column is typed: "metadata.re". */
function completeKey(text: string, from: number, caret: number, known: Known, catalog: Catalog): Completions | undefined {
  const dot = text.slice(from, caret).indexOf(".");
  const field = dot < 0 ? undefined : findField(catalog, text.slice(from, from + dot));
  if (field?.kind !== "metadata") return undefined;
  const typed = text.slice(from + dot + 1, caret).toLowerCase();
  const keys = (known.metadataKeys ?? []).filter(({ value }) => value?.toLowerCase().includes(typed));
  const items = keys.slice(0, most).map(({ value, count }) => ({ label: value!, insert: `${printKey(value!)}:`, detail: count.toLocaleString("en") }));
  return { from: from + dot + 1, to: wordEnd(text, caret), items };
}

function matches(field: Field, typed: string): boolean {
  return field.column.toLowerCase().includes(typed) || (field.aliases?.some((alias) => alias.toLowerCase().startsWith(typed)) ?? false);
}

/** What begins with the typed text comes first; then the order of the catalog. */
function rank(field: Field, typed: string): number {
  return field.column.toLowerCase().startsWith(typed) ? 0 : 1;
}

function completeHas(text: string, from: number, caret: number, known: Known, catalog: Catalog): Completions {
  const typed = text.slice(from, caret).toLowerCase();
  const columns = catalog.filter((field) => field.nullable).map((field) => field.column);
  const keys = (known.metadataKeys ?? []).flatMap(({ value }) => (value === null ? [] : `metadata.${value}`));
  const names = [...columns, ...keys].filter((name) => name.toLowerCase().includes(typed));
  return { from, to: wordEnd(text, caret), items: names.slice(0, most).map((name) => ({ label: name, insert: `${name} ` })) };
}

const comparisons: Partial<Record<Field["kind"], Completion[]>> = {
  number: [
    { label: ">", insert: ">", detail: "more than" },
    { label: ">=", insert: ">=", detail: "at least" },
    { label: "<", insert: "<", detail: "less than" },
    { label: "<=", insert: "<=", detail: "at most" },
  ],
  time: [
    { label: ">", insert: ">", detail: "after" },
    { label: "<", insert: "<", detail: "before" },
  ],
  bool: [
    { label: "true", insert: "true " },
    { label: "false", insert: "false " },
  ],
};

function completeValue(text: string, valueStart: number, caret: number, field: Field, name: string, known: Known): Completions {
  const typedAll = text.slice(valueStart, caret);
  const group = typedAll.startsWith("(");
  const from = valueStart + partStart(typedAll, group);
  const typed = text.slice(from, caret).replace(/^[="*~<>]+/, "").toLowerCase();
  const to = wordEnd(text, caret);
  const fixed = comparisons[field.kind];
  if (fixed !== undefined) return { from, to, items: fixed.filter(({ label }) => label.startsWith(text.slice(from, caret).toLowerCase())) };
  const values = valuesOf(field, name, known).filter(({ value }) => value.toLowerCase().includes(typed));
  const items = values.slice(0, most).map(({ value, count }) => ({
    label: value,
    insert: group ? printValue(value) : `${printValue(value)} `,
    ...(count === undefined ? {} : { detail: count.toLocaleString("en") }),
  }));
  return { from, to, items };
}

function valuesOf(field: Field, name: string, known: Known): { value: string; count?: number }[] {
  const seen = (known[field.kind === "metadata" ? name : field.column] ?? []).flatMap(({ value, count }) => (value === null ? [] : { value, count }));
  const others = (field.values ?? []).filter((value) => !seen.some((one) => one.value === value)).map((value) => ({ value }));
  return [...seen, ...others];
}

/** Where the value begins that is being typed: behind the bracket, or behind the last OR or AND. */
function partStart(typed: string, group: boolean): number {
  if (!group) return 0;
  const inside = /^\(\s*(?:.*\s(?:OR|AND)\s+)?/.exec(typed);
  return inside === null ? 0 : inside[0].length;
}

/** Where the term at the caret begins; spaces in quotes and brackets do not end one. */
function termStart(text: string, caret: number): number {
  let start = 0;
  let quoted = false;
  let depth = 0;
  for (let i = 0; i < caret; i++) {
    const sign = text[i]!;
    if (quoted && sign === "\\") i++;
    else if (sign === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (sign === "(") depth++;
    else if (sign === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0 && /\s/.test(sign)) start = i + 1;
  }
  return start;
}

function wordEnd(text: string, caret: number): number {
  const rest = /[\s:)]/.exec(text.slice(caret));
  return rest === null ? text.length : caret + rest.index;
}
