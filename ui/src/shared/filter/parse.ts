import { type Catalog, exampleOf, type Field, findField, observationColumns, similarColumns } from "./catalog";
import type { Condition, NumberOperator, Problem, Query, Term } from "./condition";
import { type RawTerm, type RawValue, scan } from "./scan";

/** Reads the text of a query. What the API cannot express is a problem at its place; nothing is left out silently. */
export function parse(text: string, catalog: Catalog = observationColumns): Query {
  const terms = scan(text).map((raw): Term => {
    const { from, to } = raw;
    const result = raw.problem ?? read(raw, catalog);
    if (typeof result === "string") return { from, to, search: result };
    if ("message" in result) return { from, to, problem: result };
    return { from, to, condition: result };
  });
  return {
    text,
    terms,
    conditions: terms.flatMap(({ condition }) => condition ?? []),
    search: terms.flatMap(({ search }) => search ?? []).join(" "),
    problems: terms.flatMap((term) => term.problem ?? []),
  };
}

function read(raw: RawTerm, catalog: Catalog): Condition | Problem | string {
  if (raw.column === undefined) return readWord(raw);
  if (raw.column.toLowerCase() === "has") return readHas(raw, catalog);
  const field = findField(catalog, raw.column);
  if (field === undefined) return unknownColumn(raw, raw.column, raw.from + (raw.negated ? 1 : 0), raw.columnTo, catalog);
  if (field.kind !== "metadata" && raw.key !== undefined) return fault(raw, `${field.column} has no keys; write ${exampleOf(field)}.`);
  if (field.kind === "metadata" && !raw.key) return fault(raw, "Say which key of the metadata: metadata.region:eu.");
  if (raw.values.length === 0 && raw.join === undefined) return fault(raw, `${field.column} needs a value, such as ${exampleOf(field)}.`);
  return readers[field.kind](raw, field);
}

function readWord(raw: RawTerm): Problem | string {
  const value = raw.values[0]!;
  if (raw.negated) {
    return fault(raw, value.text === "" ? "A minus must stand right before a condition." : "A search for text cannot be turned around. For a dash in the text, use quotes.");
  }
  if (!value.quoted && (value.text === "AND" || value.text === "OR")) {
    return fault(raw, value.text === "AND" ? "Leave AND out: all conditions hold anyway." : "OR works only between values of one column: type:(TOOL OR AGENT).");
  }
  if (value.starBefore || (value.quoted && value.starAfter)) return fault(raw, "Leave the star out: a search finds parts of words, too.");
  return value.text;
}

function readHas(raw: RawTerm, catalog: Catalog): Condition | Problem {
  const value = raw.values[0];
  if (value === undefined) return fault(raw, "Say which column must have a value: has:endTime.");
  const field = findField(catalog, value.text);
  if (field === undefined) return unknownColumn(raw, value.text, value.from, value.to, catalog);
  if (field.kind === "metadata") {
    if (!raw.key) return fault(raw, "Say which key of the metadata: has:metadata.region.");
    return { type: "stringObject", column: field.column, key: raw.key, operator: raw.negated ? "is not set" : "is set", value: "" };
  }
  if (raw.key !== undefined) return fault(raw, `${field.column} has no keys.`);
  if (!field.nullable) return fault(raw, `Every observation has ${field.column}.${hasAlternative(field)}`);
  return { type: "null", column: field.column, operator: raw.negated ? "is null" : "is not null", value: null };
}

function hasAlternative(field: Field): string {
  if (field.column === "input") return " Write hasInput:true.";
  if (field.column === "output") return " Write hasOutput:true.";
  return "";
}

type Reader = (raw: RawTerm, field: Field) => Condition | Problem;

const readers: Record<Field["kind"], Reader> = {
  text: readText,
  list: readList,
  number: (raw, { column }) => {
    const found = readNumber(raw, `${column}:>2`);
    return "message" in found ? found : { type: "number", column, ...found };
  },
  time: readTime,
  bool: readBool,
  payload: readPayload,
  metadata: readMetadata,
};

function readText(raw: RawTerm, { column }: Field): Condition | Problem {
  const value = raw.values[0];
  if (raw.operator !== "" && raw.operator !== "=") return fault(raw, `${column} is a text: write ${column}:value, ${column}:=value or ${column}:*part*.`);
  if (raw.join !== undefined) {
    if (raw.join === "AND" && raw.values.length > 1) return fault(raw, `${column} has one value only; use OR.`);
    if (value === undefined) return fault(raw, "There is no value between the brackets.");
    const starred = raw.values.find((one) => one.starBefore || one.starAfter);
    if (starred !== undefined || raw.operator !== "") return fault(raw, "Between brackets only whole values can stand. For a star in a value, use quotes.");
    return { type: "stringOptions", column, operator: raw.negated ? "none of" : "any of", value: raw.values.map((one) => one.text) };
  }
  const part = readPart(raw, value!);
  if (part !== undefined) return "message" in part ? part : { type: "string", column, ...part };
  if (raw.operator === "=" && !raw.negated) return { type: "string", column, operator: "=", value: value!.text };
  return { type: "stringOptions", column, operator: raw.negated ? "none of" : "any of", value: [value!.text] };
}

/** A value with stars asks for a part of a text. */
function readPart(raw: RawTerm, value: RawValue) {
  if (!value.starBefore && !value.starAfter) return undefined;
  if (value.text === "" && !value.quoted) return fault(raw, `A star alone finds everything. For rows with a value write has:${raw.column}.`);
  if (raw.operator !== "") return fault(raw, `Write either ${raw.operator} or stars. For a star in the value, use quotes.`);
  if (value.starBefore && value.starAfter) return { operator: raw.negated ? ("does not contain" as const) : ("contains" as const), value: value.text };
  if (raw.negated) return fault(raw, "The start or end of a text cannot be excluded. Put a star on both sides to exclude what contains it.");
  return { operator: value.starAfter ? ("starts with" as const) : ("ends with" as const), value: value.text };
}

function readList(raw: RawTerm, { column }: Field): Condition | Problem {
  if (raw.operator !== "" || raw.values.some((value) => value.starBefore || value.starAfter)) {
    return fault(raw, `${column} is a list: write ${column}:a, ${column}:(a OR b) or ${column}:(a AND b).`);
  }
  const all = raw.join === "AND";
  if (raw.negated && all) return fault(raw, `To exclude rows with one of the values, use OR: -${column}:(a OR b).`);
  if (raw.values.length === 0 && !raw.negated && !all) return fault(raw, "There is no value between the brackets.");
  return { type: "arrayOptions", column, operator: raw.negated ? "none of" : all ? "all of" : "any of", value: raw.values.map((value) => value.text) };
}

const turned: Partial<Record<RawTerm["operator"], string>> = { ">": "<=", "<": ">=", ">=": "<", "<=": ">" };

function readNumber(raw: RawTerm, example: string): Problem | { operator: NumberOperator; value: number } {
  const value = raw.values[0];
  if (raw.operator === "~" || raw.join !== undefined || value === undefined) return fault(raw, `Write one number, such as ${example}.`);
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value.text) ? Number(value.text) : Number.NaN;
  if (value.starBefore || value.starAfter || !Number.isFinite(number)) {
    return { from: value.from, to: value.to, message: `This is not a number. Write it like ${example}${/latency|timeToFirst/i.test(example) ? ", in seconds" : ""}.` };
  }
  if (raw.negated) {
    const other = turned[raw.operator];
    return fault(raw, other === undefined ? "A number cannot be excluded; use > and <." : `Turn the comparison around instead: ${raw.column}:${other}${value.text}.`);
  }
  return { operator: raw.operator === "" || raw.operator === "==" ? "=" : raw.operator, value: number };
}

const isoTime = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

function readTime(raw: RawTerm, { column }: Field): Condition | Problem {
  const value = raw.values[0];
  const { operator } = raw;
  if (operator === "" || operator === "=" || operator === "==" || operator === "~" || value === undefined || raw.join !== undefined) {
    return fault(raw, `Compare a time by >, >=, < or <=, such as ${column}:>2026-05-01T10:00Z.`);
  }
  if (raw.negated) return fault(raw, `Turn the comparison around instead: ${column}:${turned[operator]}${value.text}.`);
  if (value.starBefore || value.starAfter || !isoTime.test(value.text) || Number.isNaN(Date.parse(value.text))) {
    return { from: value.from, to: value.to, message: "Write a time like 2026-05-01T10:00:00Z, or a date alone." };
  }
  return { type: "datetime", column, operator, value: value.text };
}

function readBool(raw: RawTerm, { column }: Field): Condition | Problem {
  const value = raw.values[0];
  const word = value?.text.toLowerCase();
  if (raw.join !== undefined || (raw.operator !== "" && raw.operator !== "=") || value?.starBefore || value?.starAfter || (word !== "true" && word !== "false")) {
    return fault(raw, `Write ${column}:true or ${column}:false.`);
  }
  return { type: "boolean", column, operator: raw.negated ? "<>" : "=", value: word === "true" };
}

const letterOrDigit = /[\p{L}\p{Nd}]/u;

function readPayload(raw: RawTerm, { column }: Field): Condition | Problem {
  const value = raw.values[0];
  if (value === undefined || raw.join !== undefined || value.starBefore || value.starAfter || !["", "=", "~"].includes(raw.operator)) {
    return fault(raw, `${column} finds whole words: write ${column}:"refund", or ${column}:="the whole text". Words without a column find parts of words, too.`);
  }
  if (raw.negated) return fault(raw, `The API cannot exclude by ${column}.`);
  if (raw.operator === "=") return { type: "string", column, operator: "=", value: value.text };
  if (!letterOrDigit.test(value.text)) return fault(raw, "There must be at least one letter or digit.");
  return { type: "string", column, operator: "matches", value: value.text };
}

function readMetadata(raw: RawTerm, { column }: Field): Condition | Problem {
  const key = raw.key!;
  const value = raw.values[0];
  if (raw.join !== undefined || value === undefined) return fault(raw, "Metadata is compared with one value at a time.");
  if ([">", "<", ">=", "<=", "=="].includes(raw.operator)) {
    const found = readNumber(raw, "metadata.score:>2");
    return "message" in found ? found : { type: "numberObject", column, key, ...found };
  }
  const part = readPart(raw, value);
  if (part !== undefined) return "message" in part ? part : { type: "stringObject", column, key, ...part };
  if (raw.negated) return fault(raw, "A value of metadata cannot be excluded. Put a star on both sides to exclude what contains it.");
  if (raw.operator === "~" && !letterOrDigit.test(value.text)) return fault(raw, "There must be at least one letter or digit.");
  return { type: "stringObject", column, key, operator: raw.operator === "~" ? "matches" : "=", value: value.text };
}

function fault({ from, to }: { from: number; to: number }, message: string): Problem {
  return { from, to, message };
}

function unknownColumn(raw: RawTerm, name: string, from: number, to: number, catalog: Catalog): Problem {
  if (/^scores?$/i.test(name)) return fault(raw, "Observations cannot be filtered by their scores yet.");
  const near = similarColumns(catalog, name);
  const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
  return { from, to, message: `There is no column ${name === "" ? "without a name" : name}.${hint} To search for the text itself, put it in quotes.` };
}
