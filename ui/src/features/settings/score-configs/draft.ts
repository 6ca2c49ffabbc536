import type { components } from "@/shared/api/schema.d.ts";

export type ScoreConfig = components["schemas"]["ScoreConfig"];
export type ConfigType = ScoreConfig["dataType"];

/** A category as it is typed. */
export interface CategoryDraft {
  key: number;
  label: string;
  value: string;
}

/** A config as it is typed. */
export interface ConfigDraft {
  name: string;
  dataType: ConfigType;
  description: string;
  min: string;
  max: string;
  categories: CategoryDraft[];
}

export const emptyDraft: ConfigDraft = {
  name: "", dataType: "CATEGORICAL", description: "", min: "", max: "",
  categories: [{ key: 1, label: "Bad", value: "0" }, { key: 2, label: "Good", value: "1" }],
};

const text = (number: number | null) => (number === null ? "" : String(number));

export function draftOf(config: ScoreConfig): ConfigDraft {
  const categories = (config.categories ?? []).map(({ label, value }, index) => ({ key: index + 1, label, value: String(value) }));
  return { name: config.name, dataType: config.dataType, description: config.description ?? "", min: text(config.minValue), max: text(config.maxValue), categories };
}

export function withCategory({ categories }: ConfigDraft): CategoryDraft[] {
  const next = Math.max(-1, ...categories.map(({ value }) => Number(value) || 0)) + 1;
  return [...categories, { key: Math.max(0, ...categories.map(({ key }) => key)) + 1, label: "", value: String(next) }];
}

const number = (typed: string) => (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed.trim()) ? Number(typed) : Number.NaN);
const goodName = /^[\p{L}\d _.()-]{1,35}$/u;

/** What is wrong, by field; a category by its key. Empty when it can be sent. */
export function problemsOf({ name, dataType, min, max, categories }: ConfigDraft): Map<string | number, string> {
  const problems = new Map<string | number, string>();
  if (!goodName.test(name.trim())) problems.set("name", "1 to 35 letters, digits, spaces and any of _ . ( ) -");
  if (dataType === "NUMERIC") {
    if (min.trim() !== "" && Number.isNaN(number(min))) problems.set("min", "Write a number, or leave it empty.");
    if (max.trim() !== "" && Number.isNaN(number(max))) problems.set("max", "Write a number, or leave it empty.");
    else if (number(max) <= number(min)) problems.set("max", "Must be greater than the lowest value.");
  }
  if (dataType === "CATEGORICAL") {
    if (categories.length === 0) problems.set("categories", "Add at least one category.");
    for (const { key, label, value } of categories) {
      if (label.trim() === "") problems.set(key, "Give the category a name.");
      else if (Number.isNaN(number(value))) problems.set(key, "Its number must be one.");
      else if (categories.some((other) => other.key !== key && (other.label.trim() === label.trim() || number(other.value) === number(value)))) problems.set(key, "Names and numbers must differ.");
    }
  }
  return problems;
}

/** The body of a new config, or of a change: the server leaves what is not named as it is, and takes no bound away. */
export function bodyOf({ name, dataType, description, min, max, categories }: ConfigDraft) {
  const bounds = dataType === "NUMERIC" ? { ...(min.trim() === "" ? {} : { minValue: number(min) }), ...(max.trim() === "" ? {} : { maxValue: number(max) }) } : {};
  const list = dataType === "CATEGORICAL" ? { categories: categories.map(({ label, value }) => ({ label: label.trim(), value: number(value) })) } : {};
  return { name: name.trim(), description: description.trim(), ...bounds, ...list };
}
