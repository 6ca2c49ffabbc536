/** One test on a row as the public API takes it in `filter`; all conditions of a list must hold. */
export type Condition =
  | { type: "string"; column: string; operator: TextOperator; value: string }
  | { type: "stringOptions"; column: string; operator: "any of" | "none of"; value: string[] }
  | { type: "arrayOptions"; column: string; operator: "any of" | "none of" | "all of"; value: string[] }
  | { type: "number"; column: string; operator: NumberOperator; value: number }
  | { type: "datetime"; column: string; operator: Exclude<NumberOperator, "=">; value: string }
  | { type: "boolean"; column: string; operator: "=" | "<>"; value: boolean }
  | { type: "null"; column: string; operator: "is null" | "is not null"; value: null }
  | { type: "stringObject"; column: string; key: string; operator: TextOperator | "is set" | "is not set"; value: string }
  | { type: "numberObject"; column: string; key: string; operator: NumberOperator; value: number };

export type TextOperator = "=" | "contains" | "does not contain" | "starts with" | "ends with" | "matches";
export type NumberOperator = "=" | ">" | "<" | ">=" | "<=";

/** A place in the text of a query, and what is wrong there, in plain words. */
export interface Problem {
  from: number;
  to: number;
  message: string;
}

/** A part of the text between spaces: a condition, words to search for, or a problem. Never nothing. */
export interface Term {
  from: number;
  to: number;
  condition?: Condition;
  search?: string;
  problem?: Problem;
}

export interface Query {
  text: string;
  terms: Term[];
  conditions: Condition[];
  /** Bare words: what inputs and outputs must contain. "": nothing. */
  search: string;
  problems: Problem[];
}
