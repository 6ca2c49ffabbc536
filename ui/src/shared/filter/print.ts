import type { Condition } from "./condition";

/** Writes conditions and words to search for as the text of a query, in the form that people would type. */
export function print(conditions: readonly Condition[], search = ""): string {
  const parts = conditions.map(printCondition);
  if (search !== "") parts.push(printSearch(search));
  return parts.join(" ");
}

export function printCondition(condition: Condition): string {
  const { column } = condition;
  switch (condition.type) {
    case "string":
      if (condition.operator === "matches") return `${column}:${printValue(condition.value)}`;
      return printText(column, condition.operator, condition.value, "=");
    case "stringOptions":
      return `${minus(condition.operator === "none of")}${column}:${printList(condition.value, "OR")}`;
    case "arrayOptions":
      if (condition.operator === "all of") return `${column}:${printAll(condition.value)}`;
      return `${minus(condition.operator === "none of")}${column}:${printList(condition.value, "OR")}`;
    case "number":
    case "datetime":
      return `${column}:${condition.operator === "=" ? "" : condition.operator}${printValue(String(condition.value))}`;
    case "boolean":
      return `${minus(condition.operator === "<>")}${column}:${condition.value}`;
    case "null":
      return `${minus(condition.operator === "is null")}has:${column}`;
    case "stringObject":
      return printMetadata(`${column}.${printKey(condition.key)}`, condition.operator, condition.value);
    case "numberObject":
      return `${column}.${printKey(condition.key)}:${condition.operator === "=" ? "==" : condition.operator}${condition.value}`;
  }
}

function printMetadata(path: string, operator: (Condition & { type: "stringObject" })["operator"], value: string): string {
  if (operator === "is set" || operator === "is not set") return `${minus(operator === "is not set")}has:${path}`;
  if (operator === "matches") return `${path}:~${printValue(value)}`;
  return printText(path, operator, value, "");
}

function printText(path: string, operator: "=" | "contains" | "does not contain" | "starts with" | "ends with", value: string, equal: string): string {
  const text = printValue(value);
  switch (operator) {
    case "=":
      return `${path}:${equal}${text}`;
    case "contains":
      return `${path}:*${text}*`;
    case "does not contain":
      return `-${path}:*${text}*`;
    case "starts with":
      return `${path}:${text}*`;
    case "ends with":
      return `${path}:*${text}`;
  }
}

function printAll(values: readonly string[]): string {
  if (values.length > 1) return printList(values, "AND");
  return values.length === 1 ? `(AND ${printValue(values[0]!)})` : "(AND)";
}

function printList(values: readonly string[], join: "OR" | "AND"): string {
  if (values.length === 1) return printValue(values[0]!);
  return `(${values.map(printValue).join(` ${join} `)})`;
}

/** A value that would be read otherwise without quotes gets them. */
export function printValue(value: string): string {
  const plain = /^[^\s"()]+$/.test(value) && !/^[=<>~*]|\*$/.test(value) && value !== "OR" && value !== "AND";
  return plain ? value : quote(value);
}

export function printKey(key: string): string {
  return /^[^\s:"()]+$/.test(key) ? key : quote(key);
}

function printSearch(search: string): string {
  const words = search.split(" ");
  const plain = words.every((word) => /^[^\s:"()*-][^\s:"()]*$/.test(word) && word !== "OR" && word !== "AND");
  return plain ? search : quote(search);
}

const escapes: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\" };

function quote(text: string): string {
  return `"${text.replace(/[\n\r\t"\\]/g, (sign) => escapes[sign]!)}"`;
}

function minus(negated: boolean): string {
  return negated ? "-" : "";
}
