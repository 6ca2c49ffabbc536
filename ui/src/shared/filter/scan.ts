import type { Problem } from "./condition";

/** One value as it was written: `*chat*` is the text chat with both stars. */
export interface RawValue {
  text: string;
  quoted: boolean;
  starBefore: boolean;
  starAfter: boolean;
  from: number;
  to: number;
}

export interface RawTerm {
  from: number;
  to: number;
  negated: boolean;
  /** Undefined: bare words. */
  column?: string;
  /** What follows the dot of a column: the key of metadata. */
  key?: string;
  columnTo: number;
  operator: "" | "=" | "==" | ">" | "<" | ">=" | "<=" | "~";
  /** The words between the values of a list in brackets; undefined: no brackets. */
  join?: "OR" | "AND";
  values: RawValue[];
  problem?: Problem;
}

const space = /\s/;
const operators = ["==", ">=", "<=", ">", "<", "=", "~"] as const;

/** Splits the text of a query into terms. Every character that is no space belongs to one. */
export function scan(text: string): RawTerm[] {
  const scanner = new Scanner(text);
  const terms: RawTerm[] = [];
  while (scanner.skipSpace()) terms.push(scanner.term());
  return terms;
}

class Scanner {
  private at = 0;
  constructor(private readonly text: string) {}

  /** Whether there is more. */
  skipSpace(): boolean {
    while (this.at < this.text.length && space.test(this.text[this.at]!)) this.at++;
    return this.at < this.text.length;
  }

  term(): RawTerm {
    const from = this.at;
    const negated = this.take("-");
    const term: RawTerm = { from, to: from, negated, columnTo: from, operator: "", values: [] };
    this.head(term);
    if (term.problem === undefined && this.at < this.text.length && !space.test(this.text[this.at]!)) {
      const start = this.at;
      this.toSpace();
      term.problem = { from: start, to: this.at, message: `Put the value in quotes: ${this.text[start]} has a meaning of its own.` };
    }
    term.to = this.at;
    return term;
  }

  private head(term: RawTerm): void {
    if (this.peek('"')) {
      term.values.push(this.value(term));
      return;
    }
    const start = this.at;
    const { name, key, quotedKey } = this.name(term);
    if (!this.peek(":")) {
      if (quotedKey) term.problem ??= { from: start, to: this.at, message: "Put a colon and a value behind the key." };
      const text = this.text.slice(start, this.at);
      term.values.push({ text, quoted: false, starBefore: false, starAfter: false, from: start, to: this.at });
      return;
    }
    term.columnTo = this.at++;
    term.column = name;
    term.key = key;
    if (name.toLowerCase() === "has" && key === undefined) this.has(term);
    else this.rest(term);
  }

  /** `has:` is followed by the name of a column, which may have a key. */
  private has(term: RawTerm): void {
    const from = this.at;
    const { name, key } = this.name(term);
    term.key = key;
    if (name !== "") term.values.push({ text: name, quoted: false, starBefore: false, starAfter: false, from, to: this.at });
  }

  private name(term: RawTerm): { name: string; key: string | undefined; quotedKey: boolean } {
    const head = this.read(/[^\s:"()]/);
    const dot = head.indexOf(".");
    if (dot < 0) return { name: head, key: undefined, quotedKey: false };
    const quotedKey = dot === head.length - 1 && this.peek('"');
    return { name: head.slice(0, dot), key: quotedKey ? this.quoted(term) : head.slice(dot + 1), quotedKey };
  }

  private rest(term: RawTerm): void {
    for (const operator of operators) {
      if (this.text.startsWith(operator, this.at)) {
        term.operator = operator;
        this.at += operator.length;
        break;
      }
    }
    if (this.peek("(")) this.group(term);
    else if (this.at < this.text.length && !space.test(this.text[this.at]!)) term.values.push(this.value(term));
  }

  private group(term: RawTerm): void {
    const open = this.at++;
    const joins = new Set<"OR" | "AND">();
    for (;;) {
      if (!this.skipSpace()) {
        term.problem = { from: open, to: this.at, message: "This bracket is never closed." };
        return;
      }
      if (this.take(")")) break;
      const before = this.at;
      const value = this.value(term);
      if (term.problem !== undefined) return;
      if (this.at === before) {
        term.problem = { from: before, to: before + 1, message: "Put a value with brackets in quotes." };
        this.toSpace();
        return;
      }
      const word = value.quoted || value.starBefore || value.starAfter ? "" : value.text;
      if (word === "OR" || word === "AND") joins.add(word);
      else term.values.push(value);
    }
    if (joins.size > 1) term.problem = { from: open, to: this.at, message: "Use either OR or AND between the values, not both." };
    if (term.values.length > 1 && joins.size === 0) term.problem = { from: open, to: this.at, message: "Put OR between the values." };
    term.join = joins.has("AND") ? "AND" : "OR";
  }

  private value(term: RawTerm): RawValue {
    const from = this.at;
    const starBefore = this.take("*");
    let starAfter = false;
    let text: string;
    const quoted = this.peek('"');
    if (quoted) {
      text = this.quoted(term);
      starAfter = this.take("*");
    } else {
      text = this.read(/[^\s"()]/);
      starAfter = text.endsWith("*");
      if (starAfter) text = text.slice(0, -1);
    }
    return { text, quoted, starBefore, starAfter, from, to: this.at };
  }

  private quoted(term: RawTerm): string {
    const open = this.at++;
    let text = "";
    while (this.at < this.text.length) {
      const sign = this.text[this.at++]!;
      if (sign === '"') return text;
      if (sign !== "\\") text += sign;
      else {
        const escaped = this.text[this.at++] ?? "";
        text += escapes[escaped] ?? escaped;
      }
    }
    this.at = this.text.length;
    term.problem = { from: open, to: this.at, message: "This quote is never closed." };
    return text;
  }

  private read(allowed: RegExp): string {
    const start = this.at;
    while (this.at < this.text.length && allowed.test(this.text[this.at]!)) this.at++;
    return this.text.slice(start, this.at);
  }

  private toSpace(): void {
    this.read(/\S/);
  }

  private peek(sign: string): boolean {
    return this.text[this.at] === sign;
  }

  private take(sign: string): boolean {
    if (!this.peek(sign)) return false;
    this.at++;
    return true;
  }
}

const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t" };
