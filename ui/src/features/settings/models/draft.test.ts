import { describe, expect, it } from "vitest";
import type { Model } from "./definition";
import { describeCondition, groupPrices } from "./definition";
import { bodyOf, draftOf, emptyDraft, newCondition, newPrice, newTier, problemsOf } from "./draft";

const model: Model = {
  id: "m1", modelName: "acme", matchPattern: "(?i)^acme$", startDate: "2026-05-01T06:30:00.000Z", unit: "TOKENS", inputPrice: 4e-7, outputPrice: 0.00000125, totalPrice: null,
  tokenizerId: "openai", tokenizerConfig: [1, 3], isLangfuseManaged: false, createdAt: "2026-01-01T00:00:00.000Z", prices: {},
  pricingTiers: [
    { id: "t1", name: "Standard", isDefault: true, priority: 0, conditions: [], prices: { output: 0.00000125, input_cached: 7.5e-8, input: 4e-7 } },
    { id: "t2", name: "Long", isDefault: false, priority: 7, conditions: [{ usageDetailPattern: "^input", operator: "gt", value: 200000, caseSensitive: true }], prices: { input: 8e-7 } },
    { id: "t3", name: "Fast", isDefault: false, priority: 9, conditions: [{ source: "metadata", key: "tier", operator: "in", values: ["fast", "faster"] }], prices: { total: 0.000001 } },
  ],
};

describe("a draft", () => {
  it("shows prices for a million tokens, the usual keys first", () => {
    expect(draftOf(model).tiers[0]!.prices.map(({ key, amount }) => [key, amount])).toEqual([["input", "0.4"], ["output", "1.25"], ["input_cached", "0.075"]]);
  });

  it("comes out as it went in", () => {
    const body = bodyOf(draftOf(model), model);
    expect(body).toMatchObject({ modelName: "acme", matchPattern: "(?i)^acme$", unit: "TOKENS", startDate: model.startDate, tokenizerId: "openai", tokenizerConfig: [1, 3] });
    expect(body.pricingTiers).toEqual(model.pricingTiers.map(({ name, isDefault, conditions, prices }, priority) => ({ name, isDefault, conditions, prices, priority })));
  });

  it("takes another day, or none", () => {
    expect(bodyOf({ ...draftOf(model), startDate: "2026-06-01" }, model).startDate).toBe("2026-06-01");
    expect(bodyOf({ ...draftOf(model), startDate: "" }, model).startDate).toBeNull();
  });

  it("has the prices of a second for a unit of seconds", () => {
    expect(draftOf({ ...model, unit: "SECONDS" }).tiers[0]!.prices[1]!.amount).toBe("0.00000125");
  });
});

describe("problemsOf", () => {
  const withPrice = (amount: string, key = "input") => {
    const draft = emptyDraft("acme");
    draft.tiers[0]!.prices = [newPrice(key, amount)];
    return { draft, problem: problemsOf(draft).get(draft.tiers[0]!.prices[0]!.id) };
  };

  it("finds nothing in a whole draft", () => {
    expect([...problemsOf(draftOf(model))]).toEqual([]);
    expect([...problemsOf(withPrice("0").draft)]).toEqual([]);
  });

  it("names what a new one lacks", () => {
    const draft = emptyDraft();
    expect([...problemsOf(draft).keys()]).toEqual(["name", "pattern", draft.tiers[0]!.prices[0]!.id]);
  });

  it.each([["-1", "number"], ["2,50", "number"], ["1.2345678901234567", "15 digits"]])("refuses the price %s", (amount, part) => expect(withPrice(amount).problem).toContain(part));

  it("wants to know what a price is for, once", () => {
    expect(withPrice("1", " ").problem).toContain("what the price is for");
    const draft = emptyDraft("acme");
    draft.tiers[0]!.prices = [newPrice("input", "1"), newPrice("input ", "2")];
    expect(problemsOf(draft).get(draft.tiers[0]!.prices[1]!.id)).toContain("already");
  });

  it("holds tiers to a name and a condition", () => {
    const draft = draftOf(model);
    const tier = { ...newTier(draft.tiers[0]!), name: "Standard", conditions: [{ ...newCondition(), value: "many" }] };
    expect(tier.prices.map(({ key }) => key)).toEqual(["input", "output", "input_cached"]);
    const problems = problemsOf({ ...draft, tiers: [...draft.tiers, tier] });
    expect(problems.get(tier.id)).toContain("name of its own");
    expect(problems.get(tier.conditions[0]!.id)).toContain("number");
    const bare = { ...tier, name: "Bare", conditions: [] };
    expect(problemsOf({ ...draft, tiers: [...draft.tiers, bare] }).get(bare.id)).toContain("condition");
  });
});

describe("words for tiers", () => {
  it("groups keys of one price", () => {
    expect(groupPrices({ output: 2, input_text: 1, total: 2, input: 1 })).toEqual([{ price: 1, keys: ["input", "input_text"] }, { price: 2, keys: ["output", "total"] }]);
  });

  it("says conditions as sentences", () => {
    expect(model.pricingTiers.flatMap(({ conditions }) => conditions).map(describeCondition)).toEqual(["the usage of ^input is more than 200,000", "the metadata tier is fast or faster"]);
  });
});
