import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { one, parseSearch, stringifySearch } from "./search";

describe("search", () => {
  it.each(["12345678901234567890", "1e400", "true", "null", '{"a":1}', "a b&c=d"])("keeps %s as it is", (value) => {
    const text = stringifySearch({ baseline: value });
    expect(parseSearch(text)).toEqual({ baseline: value });
  });

  it("keeps repeated keys in order", () => {
    expect(parseSearch("?c=b&c=a")).toEqual({ c: ["b", "a"] });
    expect(stringifySearch({ c: ["b", "a"] })).toBe("?c=b&c=a");
    expect(one({ c: ["b", "a"] }, "c")).toBe("b");
  });

  it("leaves out what is empty", () => {
    expect(stringifySearch({ q: "", view: undefined })).toBe("");
  });

  it("survives a round trip", () => {
    const text = fc.string({ minLength: 1, unit: "grapheme" });
    fc.assert(
      fc.property(fc.dictionary(text, text), (search) => {
        expect(parseSearch(stringifySearch(search))).toEqual({ ...search });
      }),
    );
  });
});
