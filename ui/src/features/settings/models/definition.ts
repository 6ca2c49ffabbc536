import type { components } from "@/shared/api/schema.d.ts";

export type Model = components["schemas"]["Model"];
export type Tier = components["schemas"]["PricingTier"];
export type Condition = components["schemas"]["PricingCondition"];
export type ModelBody = components["schemas"]["ModelBody"];
export type Unit = NonNullable<ModelBody["unit"]>;

/** How prices of a unit are spoken of: for how many of them, as a power of ten, and in which words. */
export interface Scale {
  power: number;
  per: string;
}

const scales: Record<Unit, Scale> = {
  TOKENS: { power: 6, per: "1M tokens" },
  CHARACTERS: { power: 6, per: "1M characters" },
  MILLISECONDS: { power: 3, per: "1,000 ms" },
  SECONDS: { power: 0, per: "second" },
  REQUESTS: { power: 0, per: "request" },
  IMAGES: { power: 0, per: "image" },
};

export const units = Object.keys(scales) as Unit[];

/** A definition without a unit counts tokens, as nearly all do. */
export function scaleOf(unit: string | null): Scale {
  return scales[unit as Unit] ?? scales.TOKENS;
}

/** Keys that cost the same stand together: providers name one kind of token in many ways. */
export function groupPrices(prices: Tier["prices"]): { price: number; keys: string[] }[] {
  const groups = new Map<number, string[]>();
  for (const [key, price] of Object.entries(prices).toSorted(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))) {
    groups.set(price, [...(groups.get(price) ?? []), key]);
  }
  return [...groups].map(([price, keys]) => ({ price, keys }));
}

const first = ["input", "output", "total"];

function rank(key: string): number {
  const index = first.indexOf(key);
  return index < 0 ? first.length : index;
}

const comparisons = { gt: "is more than", gte: "is at least", lt: "is less than", lte: "is at most", eq: "is", neq: "is not" } as const;

export const operators = Object.entries(comparisons).map(([value, label]) => ({ value: value as keyof typeof comparisons, label }));

/** A condition as a sentence. */
export function describeCondition(condition: Condition): string {
  if ("usageDetailPattern" in condition) {
    return `the usage of ${condition.usageDetailPattern} ${comparisons[condition.operator]} ${condition.value.toLocaleString("en-US")}`;
  }
  const place = condition.source === "metadata" ? "metadata" : "model parameter";
  return `the ${place} ${condition.key} is ${condition.values.join(" or ")}`;
}
