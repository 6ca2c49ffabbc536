import { describe, expect, it } from "vitest";
import { complete } from "./complete";

const known = {
  level: [{ value: "ERROR", count: 3 }],
  name: [{ value: "chat turn", count: 1200 }, { value: null, count: 2 }, { value: "search", count: 1 }],
  metadataKeys: [{ value: "region", count: 4 }],
  "metadata.region": [{ value: "eu", count: 4 }],
};

/** Applies the first completion where the bar stands, and marks the caret by a bar again. */
function first(marked: string): string | undefined {
  const caret = marked.indexOf("|");
  const text = marked.replace("|", "");
  const { from, to, items } = complete(text, caret, known);
  const [item] = items;
  return item && `${text.slice(0, from)}${item.insert}|${text.slice(to)}`;
}

describe("complete", () => {
  it.each([
    ["la|", "latency:|"],
    ["env|", "environment:|"],
    ["level:ERROR -na|", "level:ERROR -name:|"],
    ["na|:x", "name:|:x"],
    ["level:|", "level:ERROR |"],
    ["level:W|", "level:WARNING |"],
    ["name:|", 'name:"chat turn" |'],
    ["name:(search OR ch|)", 'name:(search OR "chat turn"|)'],
    ["latency:|", "latency:>|"],
    ["metadata.|", "metadata.region:|"],
    ["-metadata.re|", "-metadata.region:|"],
    ["hasInput:t|", "hasInput:true |"],
    ["has:end|", "has:endTime |"],
    ["has:metadata.r|", "has:metadata.region |"],
    ["metadata.region:|", "metadata.region:eu |"],
    ["meta|", "metadata.|"],
    ['"la|', undefined],
    ["nope:|", undefined],
  ])("%s", (before, after) => {
    expect(first(before)).toBe(after);
  });
});
