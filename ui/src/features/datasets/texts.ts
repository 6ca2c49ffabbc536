import { lineOf, pretty } from "@/shared/json/raw";
import { type Field, fields, type Item, type ItemFailure, type ItemTexts } from "./api";

/** What is wrong with a text that should be JSON; undefined for an empty one. */
export function jsonProblem(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const place = /position (\d+)/.exec(said);
    const line = place === null ? undefined : text.slice(0, Number(place[1])).split("\n").length;
    return `${line === undefined ? "" : `Line ${line}: `}this is no JSON. ${said}`;
  }
}

/** The texts of an item as an editor shows them. */
export function textsOf(item: Item): ItemTexts {
  return { input: pretty(item.input), expectedOutput: pretty(item.expectedOutput), metadata: pretty(item.metadata) };
}

export const noTexts: ItemTexts = { input: "", expectedOutput: "", metadata: "" };

/** Which texts say something else than before; the way they are laid out does not matter. */
export function changedFields(before: ItemTexts, now: ItemTexts): Field[] {
  return fields.filter((field) => pretty(before[field]).trim() !== pretty(now[field]).trim());
}

/** What is wrong with texts before the server is asked. A value that is left out stays as it was, so none can be emptied. */
export function localProblems(before: ItemTexts, now: ItemTexts): Partial<Record<Field, string[]>> {
  const problems: Partial<Record<Field, string[]>> = {};
  for (const field of fields) {
    const problem = jsonProblem(now[field]);
    if (problem !== undefined) problems[field] = [problem];
    else if (before[field] !== "" && now[field].trim() === "") problems[field] = ['An item keeps what it has: write another value, such as {} or "".'];
  }
  return problems;
}

/** What the server found, by field, each with the line it is about. */
export function placedProblems(failures: readonly ItemFailure[], texts: ItemTexts): Partial<Record<Field, string[]>> {
  const problems: Partial<Record<Field, string[]>> = {};
  for (const { field, path, message } of failures) {
    const at = fields.find((each) => each === field) ?? "input";
    const place = path === null || texts[at].trim() === "" ? "" : `Line ${lineOf(texts[at], path)}, ${path}: `;
    (problems[at] ??= []).push(`${place}${at === field ? "" : `${field} `}${message}`);
  }
  return problems;
}
