import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const css = readFileSync(fileURLToPath(new URL("./tokens.css", import.meta.url)), "utf8");
const [, lightCss = "", darkCss = ""] = css.split(/:root[^{]*\{/);

function tokensOf(block: string): Record<string, string> {
  return Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]));
}

const themes = { light: tokensOf(lightCss), dark: tokensOf(darkCss) };

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const grounds = ["bg", "surface", "raised", "selected"];
const types = ["generation", "agent", "chain", "evaluator", "retriever", "embedding", "guardrail", "tool", "span", "event"];
const texts = ["text", "text-2", "text-3", "accent", "danger", "warn", "ok", ...types];
const pairs: [string, string, number][] = [
  ...texts.flatMap((text) => grounds.map((ground): [string, string, number] => [text, ground, 4.5])),
  ...["line-strong", "focus"].flatMap((line) => grounds.map((ground): [string, string, number] => [line, ground, 3])),
  ["on-accent", "accent", 4.5], ["danger", "danger-bg", 4.5], ["warn", "warn-bg", 4.5], ["ok", "ok-bg", 4.5],
  ["text", "warn-bg", 4.5], ["text", "danger-bg", 4.5], ["text", "ok-bg", 4.5],
];

describe.each(Object.entries(themes))("%s theme", (_, tokens) => {
  it.each(pairs)("%s on %s has %f : 1", (text, ground, least) => {
    expect(contrast(tokens[text] ?? "", tokens[ground] ?? "")).toBeGreaterThanOrEqual(least);
  });
});

it("computes as the guidelines do", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#767676", "#ffffff")).toBeCloseTo(4.54, 2);
});

it("gives both themes the same tokens", () => {
  expect(Object.keys(themes.dark)).toEqual(Object.keys(themes.light));
});
