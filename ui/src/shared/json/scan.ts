/** A value in a JSON text that is held as bytes. Nothing is parsed before somebody looks at it, so a document
 * of tens of megabytes costs one pass over the part that is open. */
export interface Value {
  kind: Kind;
  /** Where it begins and ends, in bytes. */
  start: number;
  end: number;
}

export type Kind = "object" | "array" | "string" | "number" | "true" | "false" | "null";

/** A value with its place in the one around it. */
export interface Child extends Value {
  index: number;
  /** Where its name stands, quotes included; undefined in lists. */
  key?: { start: number; end: number };
}

export interface Page {
  children: Child[];
  /** Where to go on; null when these were the last. */
  next: Place | null;
}

/** Between two children. */
export interface Place {
  at: number;
  index: number;
}

/** What is wrong with a text that is not JSON, and where. */
export class JsonError extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(`${message} at byte ${at}`);
    this.name = "JsonError";
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

const kinds: Record<number, Kind> = { [openBrace]: "object", [openBracket]: "array", [quote]: "string", 0x74: "true", 0x66: "false", 0x6e: "null" };

/** The value that the whole text is. */
export function rootOf(bytes: Uint8Array): Value {
  const root = valueAt(bytes, skipSpace(bytes, 0));
  const rest = skipSpace(bytes, root.end);
  if (rest < bytes.length) throw new JsonError("more text behind the value", rest);
  return root;
}

/** The children of an object or list from a place on. */
export function childrenOf(bytes: Uint8Array, parent: Value, limit: number, from?: Place): Page {
  const children: Child[] = [];
  let at = skipSpace(bytes, from?.at ?? parent.start + 1);
  let index = from?.index ?? 0;
  const close = parent.kind === "object" ? closeBrace : closeBracket;
  while (bytes[at] !== close) {
    if (children.length === limit) return { children, next: { at, index } };
    const child = childAt(bytes, parent.kind, at, index);
    children.push(child);
    index++;
    at = skipSpace(bytes, child.end);
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1);
    else if (bytes[at] !== close) throw new JsonError("neither a comma nor an end", at);
  }
  return { children, next: null };
}

function childAt(bytes: Uint8Array, parent: Kind, at: number, index: number): Child {
  if (parent === "array") return { ...valueAt(bytes, at), index };
  if (bytes[at] !== quote) throw new JsonError("a name without quotes", at);
  const key = { start: at, end: stringEnd(bytes, at) };
  const separator = skipSpace(bytes, key.end);
  if (bytes[separator] !== colon) throw new JsonError("a name without a colon", separator);
  return { ...valueAt(bytes, skipSpace(bytes, separator + 1)), key, index };
}

function valueAt(bytes: Uint8Array, at: number): Value {
  const first = bytes[at];
  if (first === undefined) throw new JsonError("no value", at);
  const kind = kinds[first] ?? "number";
  if (kind === "object" || kind === "array") return { kind, start: at, end: containerEnd(bytes, at) };
  if (kind === "string") return { kind, start: at, end: stringEnd(bytes, at) };
  const end = wordEnd(bytes, at);
  const word = String.fromCharCode(...bytes.subarray(at, Math.min(end, at + 64)));
  if (kind === "number" ? !/^-?\d/.test(word) : word !== kind) throw new JsonError(`"${word.slice(0, 20)}" is no value`, at);
  return { kind, start: at, end };
}

/** Counts braces rather than calling itself: a text may be nested deeper than the stack. */
function containerEnd(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = stringEnd(bytes, at) - 1;
    else if (byte === openBrace || byte === openBracket) depth++;
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at + 1;
  }
  throw new JsonError("no end of what begins", start);
}

function stringEnd(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(quote, start + 1); at > 0; at = bytes.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  throw new JsonError("no end of the text that begins", start);
}

function wordEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && !isSpace(bytes[at]) && bytes[at] !== comma && bytes[at] !== closeBrace && bytes[at] !== closeBracket) at++;
  return at;
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
