import { describe, expect, it } from "vitest";
import type { Model } from "./definition";
import { findModel, isSearched, patternFor, toRegExp } from "./match";

function modelNamed(modelName: string, change: Partial<Model> = {}): Model {
  return {
    id: modelName, modelName, matchPattern: patternFor(modelName), startDate: null, unit: "TOKENS", inputPrice: 0.000001, outputPrice: 0.000002, totalPrice: null,
    tokenizerId: null, tokenizerConfig: null, isLangfuseManaged: true, createdAt: "2026-01-01T00:00:00.000Z", prices: {}, pricingTiers: [], ...change,
  };
}

const may = Date.parse("2026-05-01T00:00:00Z");

describe("toRegExp", () => {
  it.each<[string, string, boolean]>([
    ["(?i)^gpt-4o$", "GPT-4o", true], ["^gpt-4o$", "GPT-4o", false], ["gpt", "my-gpt-4", true], [String.raw`\Agpt\z`, "gpt", true], ["(?P<family>gpt)-4", "gpt-4", true],
  ])("%s on %s", (pattern, name, matches) => expect(toRegExp(pattern)?.test(name)).toBe(matches));

  it.each([String.raw`\pL+`, String.raw`(a)\1`, "a(?=b)", "(?<!a)b", "[[:alpha:]]", "(?U)a+", "a(?i)b", "("])("leaves %s to the server", (pattern) => expect(toRegExp(pattern)).toBeNull());
});

describe("findModel", () => {
  const builtIn = modelNamed("gpt-4o", { matchPattern: "(?i)^(openai/)?gpt-4o(-[0-9-]+)?$" });

  it("finds by pattern, not by name", () => {
    expect(findModel([builtIn], "openai/GPT-4o-2024-08-06", may).model).toBe(builtIn);
    expect(findModel([builtIn], "gpt-4o-mini", may).model).toBeUndefined();
    expect(findModel([builtIn], "", may).model).toBeUndefined();
  });

  it("takes an own one before a built-in one that started later", () => {
    const own = modelNamed("own", { matchPattern: "gpt", isLangfuseManaged: false });
    const later = { ...builtIn, startDate: "2026-04-01T00:00:00.000Z" };
    expect(findModel([later, own], "gpt-4o", may).model).toBe(own);
  });

  it("takes the latest start that has come", () => {
    const [march, april, june] = ["03", "04", "06"].map((month) => ({ ...builtIn, id: month, startDate: `2026-${month}-01T00:00:00.000Z` }));
    expect(findModel([builtIn, june!, april!, march!], "gpt-4o", may).model).toBe(april);
  });

  it("says what it could not try, where that might have won", () => {
    const foreign = modelNamed("foreign", { matchPattern: String.raw`^\pL+$` });
    const own = modelNamed("own", { matchPattern: "gpt", isLangfuseManaged: false });
    expect(findModel([builtIn, foreign], "gpt-4o", may).untried).toEqual([foreign]);
    expect(findModel([own, foreign], "gpt-4o", may).untried).toEqual([]);
    expect(findModel([{ ...foreign, isLangfuseManaged: false }, own], "gpt-4o", may).untried).toHaveLength(1);
  });
});

describe("patternFor", () => {
  it("matches that name alone", () => {
    const name = "ft:gpt-4.1(x)+[a]{2}|$^\\?*";
    expect(toRegExp(patternFor(name))?.test(name.toUpperCase())).toBe(true);
    expect(toRegExp(patternFor("gpt-4.1"))?.test("gpt-4x1")).toBe(false);
    expect(toRegExp(patternFor("gpt-4"))?.test("gpt-4o")).toBe(false);
  });
});

describe("isSearched", () => {
  it("finds by a part of the name, and by an id that the pattern matches", () => {
    const model = modelNamed("Claude Sonnet", { matchPattern: "^anthropic/claude-[0-9]+$" });
    expect(isSearched(model, " sonnet ")).toBe(true);
    expect(isSearched(model, "anthropic/claude-37")).toBe(true);
    expect(isSearched(model, "haiku")).toBe(false);
  });
});
