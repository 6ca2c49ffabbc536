import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementsOf, lineOf, membersOf, pretty } from "./raw";

describe("membersOf and elementsOf", () => {
  it("keep what a number of JavaScript cannot hold", () => {
    expect([...membersOf('{"a": 12345678901234567890, "b\\"" :1e400 }')]).toEqual([["a", "12345678901234567890"], ['b"', "1e400"]]);
    expect(elementsOf('[1.10, "x,]", {"a":[ ]}]')).toEqual(["1.10", '"x,]"', '{"a":[ ]}']);
    expect(membersOf("[1]").size).toBe(0);
    expect(() => membersOf("{")).toThrow();
  });
});

describe("pretty", () => {
  it("says what JSON.stringify says, for whatever JSON", () => {
    fc.assert(fc.property(fc.json(), (text) => {
      expect(pretty(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
    }));
  });

  it("is the same in its own form, and leaves digits alone", () => {
    expect(pretty(pretty('{"a":[1.0,{}],"b":12345678901234567890}'))).toBe('{\n  "a": [\n    1.0,\n    {}\n  ],\n  "b": 12345678901234567890\n}');
    for (const broken of ['{"a', "{", "]"]) expect(pretty(broken)).toBe(broken);
  });
});

describe("lineOf", () => {
  const text = '{\n  "a/b": [\n    1,\n    {"~": true}\n  ],\n  "c": 2\n}';
  it("finds the line of a pointer, or of what is nearest to it", () => {
    expect(lineOf(text, "")).toBe(1);
    expect(lineOf(text, "/a~1b")).toBe(2);
    expect(lineOf(text, "/a~1b/1/~0")).toBe(4);
    expect(lineOf(text, "/c")).toBe(6);
    expect(lineOf(text, "/a~1b/7/x")).toBe(2);
  });
});
