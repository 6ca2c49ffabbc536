import { shiftDecimal } from "@/shared/lib/exactMoney";
import { type Condition, groupPrices, type Model, type ModelBody, scaleOf, type Tier, type Unit } from "./definition";
import { patternFor } from "./match";

/** One price as it is typed: for the unit's usual number, such as a million tokens. */
export interface PriceDraft {
  id: number;
  key: string;
  amount: string;
}

export interface ConditionDraft {
  id: number;
  kind: "usage" | "model_parameters" | "metadata";
  /** A pattern of usage keys, or the name of a parameter. */
  key: string;
  operator: "gt" | "gte" | "lt" | "lte" | "eq" | "neq";
  /** A number, or texts with commas between them. */
  value: string;
  caseSensitive: boolean;
}

export interface TierDraft {
  id: number;
  name: string;
  conditions: ConditionDraft[];
  prices: PriceDraft[];
}

/** A definition while it is edited; the first tier is the default one. */
export interface Draft {
  name: string;
  pattern: string;
  unit: Unit;
  startDate: string;
  tokenizer: "" | "openai" | "claude";
  tiers: TierDraft[];
}

let lastId = 0;
const nextId = () => ++lastId;

export const newPrice = (key = "", amount = ""): PriceDraft => ({ id: nextId(), key, amount });
export const newCondition = (): ConditionDraft => ({ id: nextId(), kind: "usage", key: "^input", operator: "gt", value: "200000", caseSensitive: false });

/** A tier that holds under a condition; it begins with the keys of the default one. */
export function newTier(like: TierDraft): TierDraft {
  return { id: nextId(), name: "", conditions: [newCondition()], prices: like.prices.map(({ key }) => newPrice(key)) };
}

/** A new definition, for a model that was seen or for none yet. */
export function emptyDraft(name = ""): Draft {
  return {
    name, pattern: name === "" ? "" : patternFor(name), unit: "TOKENS", startDate: "", tokenizer: "",
    tiers: [{ id: nextId(), name: "Standard", conditions: [], prices: [newPrice("input"), newPrice("output")] }],
  };
}

export function draftOf(model: Model): Draft {
  const { power } = scaleOf(model.unit);
  return {
    name: model.modelName,
    pattern: model.matchPattern,
    unit: (model.unit ?? "TOKENS") as Unit,
    startDate: model.startDate?.slice(0, 10) ?? "",
    tokenizer: (model.tokenizerId ?? "") as Draft["tokenizer"],
    tiers: model.pricingTiers.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault)).map((tier) => draftTier(tier, power)),
  };
}

function draftTier({ name, conditions, prices }: Tier, power: number): TierDraft {
  const rows = groupPrices(prices).flatMap(({ price, keys }) => keys.map((key) => newPrice(key, shiftDecimal(price, power) ?? "")));
  return { id: nextId(), name, conditions: conditions.map(draftCondition), prices: rows };
}

function draftCondition(condition: Condition): ConditionDraft {
  if ("usageDetailPattern" in condition) {
    return { id: nextId(), kind: "usage", key: condition.usageDetailPattern, operator: condition.operator, value: String(condition.value), caseSensitive: condition.caseSensitive };
  }
  return { ...newCondition(), kind: condition.source, key: condition.key, value: condition.values.join(", ") };
}

/** What keeps a draft from being sent, by the field: "name", "pattern", or the id of a tier, condition or price. */
export type Problems = ReadonlyMap<string | number, string>;

/** Digits that a number of JSON carries for certain. */
const safeDigits = 15;

export function problemsOf({ name, pattern, tiers }: Draft): Problems {
  const problems = new Map<string | number, string>();
  if (name.trim() === "") problems.set("name", "Give it a name.");
  if (pattern.trim() === "") problems.set("pattern", "Say which model names it prices, such as (?i)^my-model$.");
  const names = new Set<string>();
  tiers.forEach((tier, index) => {
    if (tier.name.trim() === "" || names.has(tier.name.trim())) problems.set(tier.id, "Each tier needs a name of its own.");
    names.add(tier.name.trim());
    if (index > 0 && tier.conditions.length === 0) problems.set(tier.id, "Add a condition, or remove the tier: without one it would never differ from the default.");
    for (const condition of tier.conditions) checkCondition(condition, problems);
    checkPrices(tier, problems);
  });
  return problems;
}

function checkCondition({ id, kind, key, value }: ConditionDraft, problems: Map<string | number, string>): void {
  if (key.trim() === "") problems.set(id, kind === "usage" ? "Say which usage keys count, such as ^input." : "Say which key is looked at.");
  else if (kind === "usage" && (value.trim() === "" || !(Number(value) >= 0))) problems.set(id, "Compare with a number, such as 200000.");
  else if (kind !== "usage" && textsOf(value).length === 0) problems.set(id, "Name at least one value.");
}

function checkPrices({ id, prices }: TierDraft, problems: Map<string | number, string>): void {
  const given = prices.filter(({ amount }) => amount.trim() !== "");
  if (given.length === 0) problems.set(prices[0]?.id ?? id, "Give at least one price; 0 is one.");
  const keys = new Set<string>();
  for (const { id: price, key, amount } of given) {
    const text = shiftDecimal(amount, 0);
    if (text === null || text.startsWith("-")) problems.set(price, "A price is a number such as 2.50.");
    else if (text.replace(/\D/g, "").replace(/^0+/, "").length > safeDigits) problems.set(price, `A price has at most ${safeDigits} digits.`);
    else if (key.trim() === "") problems.set(price, "Say what the price is for, such as input.");
    else if (keys.has(key.trim())) problems.set(price, `${key.trim()} has a price already.`);
    keys.add(key.trim());
  }
}

const textsOf = (value: string) => value.split(",").map((text) => text.trim()).filter((text) => text !== "");

/** What is sent for a draft without problems. What the form does not show stays as it was. */
export function bodyOf(draft: Draft, before?: Model): ModelBody {
  const { power } = scaleOf(draft.unit);
  const sameDay = before?.startDate?.slice(0, 10) === draft.startDate;
  return {
    modelName: draft.name.trim(),
    matchPattern: draft.pattern.trim(),
    unit: draft.unit,
    startDate: sameDay ? before.startDate : draft.startDate || null,
    tokenizerId: draft.tokenizer || null,
    tokenizerConfig: before?.tokenizerConfig ?? null,
    pricingTiers: draft.tiers.map(({ name, conditions, prices }, index) => ({
      name: name.trim(),
      isDefault: index === 0,
      priority: index,
      conditions: conditions.map(bodyCondition),
      prices: Object.fromEntries(prices.filter(({ amount }) => amount.trim() !== "").map(({ key, amount }) => [key.trim(), Number(shiftDecimal(amount, -power))])),
    })),
  };
}

function bodyCondition({ kind, key, operator, value, caseSensitive }: ConditionDraft): Condition {
  if (kind === "usage") return { usageDetailPattern: key.trim(), operator, value: Number(value), caseSensitive };
  return { source: kind, key: key.trim(), operator: "in", values: textsOf(value) };
}
