/** What people type into "Find in trace": conditions on columns that are loaded, and words.
 *
 *   type:TOOL  level:(ERROR OR WARNING)  -type:EVENT  latency:>2  tokens:>=1000  cost:>0.01  model:gpt  name:"two words"  word
 *
 * All of them must hold together. Words are looked for in names here, and in inputs and outputs by the server. */
export interface Find {
  conditions: Condition[];
  words: string[];
  /** What cannot be understood, in words for people; the rest counts nevertheless. */
  problems: string[];
}

export type TextColumn = "type" | "level" | "name" | "model" | "id";
export type NumberColumn = "latency" | "ttft" | "tokens" | "cost";
export type Comparison = ">" | ">=" | "<" | "<=" | "=";

export type Condition =
  | { column: TextColumn; values: string[]; not: boolean }
  | { column: NumberColumn; comparison: Comparison; value: number; not: boolean }
  | { column: "is"; value: State; not: boolean };

const states = ["unfinished", "error", "warning", "leaf", "root"] as const;
export type State = (typeof states)[number];

const textColumns: readonly string[] = ["type", "level", "name", "model", "id"];
const numberColumns: readonly string[] = ["latency", "ttft", "tokens", "cost"];
export const findColumns: readonly string[] = [...textColumns, ...numberColumns, "is"];

const token = /(-?)([a-zA-Z]+):(\((?:[^()"]|"[^"]*")*\)|"[^"]*"|[^\s"]*)|"([^"]*)"|(\S+)/g;
const comparison = /^(>=|<=|>|<|=)?(\d+(?:\.\d+)?)$/;

export function parseFind(text: string): Find {
  const find: Find = { conditions: [], words: [], problems: [] };
  for (const [whole, minus, key, value, phrase, word] of text.matchAll(token)) {
    if (phrase !== undefined || word !== undefined) {
      const plain = (phrase ?? word ?? "").trim();
      if (plain !== "") find.words.push(plain);
    } else if (key !== undefined) {
      const condition = toCondition(key.toLowerCase(), value ?? "", minus === "-");
      if (typeof condition === "string") find.problems.push(condition);
      else if (condition === null) find.words.push(whole);
      else find.conditions.push(condition);
    }
  }
  return find;
}

export function isEmptyFind(find: Find): boolean {
  return find.conditions.length === 0 && find.words.length === 0;
}

/** A condition; null when it is no column of ours but a word with a colon in it; a text when it is a mistake. */
function toCondition(key: string, value: string, not: boolean): Condition | string | null {
  if (textColumns.includes(key)) {
    const values = textValues(value);
    return values.length === 0 ? `${key}: needs a value` : { column: key as TextColumn, values, not };
  }
  if (numberColumns.includes(key)) {
    const match = comparison.exec(value);
    if (match === null) return `${key}: needs a number, such as ${key}:>2`;
    return { column: key as NumberColumn, comparison: (match[1] ?? "=") as Comparison, value: Number(match[2]), not };
  }
  if (key === "is") {
    const state = states.find((candidate) => candidate === value.toLowerCase());
    return state === undefined ? `is: takes ${states.join(", ")}` : { column: "is", value: state, not };
  }
  return null;
}

function textValues(value: string): string[] {
  const list = value.startsWith("(") ? value.slice(1, -1).split(/\s+OR\s+|\s*,\s*/) : [value];
  return list.map((item) => item.trim().replaceAll('"', "")).filter((item) => item !== "");
}

const levelToken = /(^|\s)level:(\([^)]*\)|\S*)/g;

/** The find with another condition on levels, or with none; the rest of it stays as it was typed. */
export function withLevel(text: string, condition: string): string {
  return `${text.replace(levelToken, "")} ${condition}`.trim();
}
