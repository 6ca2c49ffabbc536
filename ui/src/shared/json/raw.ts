import { childrenOf, type Child, rootOf, type Value } from "./scan";
import { sourceOf, stringOf } from "./text";

const encoder = new TextEncoder();

/** The members of an object by name, each as it is written: no number loses a digit. Throws JsonError for what is no object. */
export function membersOf(text: string): Map<string, string> {
  const bytes = encoder.encode(text);
  const root = rootOf(bytes);
  if (root.kind !== "object") return new Map();
  return new Map(allOf(bytes, root).map((child) => [stringOf(bytes, child.key!).text, sourceOf(bytes, child)]));
}

/** The elements of a list, each as it is written. */
export function elementsOf(text: string): string[] {
  const bytes = encoder.encode(text);
  const root = rootOf(bytes);
  return root.kind === "array" ? allOf(bytes, root).map((child) => sourceOf(bytes, child)) : [];
}

function allOf(bytes: Uint8Array, parent: Value): Child[] {
  return childrenOf(bytes, parent, Number.POSITIVE_INFINITY).children;
}

/** The line, from 1, in which the value begins that a JSON pointer leads to; of the deepest one that is there. */
export function lineOf(text: string, pointer: string): number {
  const bytes = encoder.encode(text);
  let value: Value = rootOf(bytes);
  for (const step of pointer.split("/").slice(1).map((escaped) => escaped.replaceAll("~1", "/").replaceAll("~0", "~"))) {
    if (value.kind !== "object" && value.kind !== "array") break;
    const isList: boolean = value.kind === "array";
    const next: Child | undefined = allOf(bytes, value).find((child) => (isList ? String(child.index) === step : stringOf(bytes, child.key!).text === step));
    if (next === undefined) break;
    value = next;
  }
  let line = 1;
  for (let at = 0; at < value.start; at++) if (bytes[at] === 0x0a) line++;
  return line;
}

const space = /[ \t\r\n]/;

/** JSON with a line for each value. Texts and numbers stay as they are written. What is no JSON comes back as it is. */
export function pretty(text: string): string {
  let out = "";
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"') {
      const end = stringEnd(text, at);
      if (end < 0) return text;
      out += text.slice(at, end);
      at = end - 1;
    } else if (sign === "{" || sign === "[") {
      const close = nextSign(text, at + 1);
      if (text[close] === (sign === "{" ? "}" : "]")) {
        out += sign + text[close];
        at = close;
      } else {
        depth++;
        out += sign + line();
      }
    } else if (sign === "}" || sign === "]") {
      depth--;
      if (depth < 0) return text;
      out += line() + sign;
    } else if (sign === ",") out += sign + line();
    else if (sign === ":") out += ": ";
    else if (!space.test(sign)) out += sign;
  }
  return depth === 0 ? out : text;
}

function nextSign(text: string, from: number): number {
  let at = from;
  while (at < text.length && space.test(text[at]!)) at++;
  return at;
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return -1;
}
