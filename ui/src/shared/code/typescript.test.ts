import { describe, expect, it } from "vitest";
import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import { typescript } from "./typescript";

const names = tagHighlighter([{ tag: tags.comment, class: "comment" }, { tag: tags.string, class: "string" }, { tag: tags.number, class: "number" }, { tag: tags.keyword, class: "keyword" }, { tag: tags.atom, class: "atom" }]);

function told(text: string): string[] {
  const found: string[] = [];
  highlightTree(typescript.parser.parse(text), names, (from, to, kind) => found.push(`${kind} ${text.slice(from, to)}`));
  return found;
}

describe("the colors of TypeScript", () => {
  it("tells words, texts and numbers apart", () => {
    expect(told('const a = "b" + 0x1f; // c')).toEqual(["keyword const", 'string "b"', "number 0x1f", "comment // c"]);
    expect(told("return value?.length ?? null")).toEqual(["keyword return", "atom null"]);
  });
  it("does not end a text at a sign that is escaped, nor begin a comment in one", () => {
    expect(told(String.raw`x = 'it\'s // no'`)).toEqual([String.raw`string 'it\'s // no'`]);
  });
  it("goes on over lines in comments and template texts only", () => {
    expect(told("/* a\nb */ 1")).toEqual(["comment /* a", "comment b */", "number 1"]);
    expect(told("`a\nb` 1")).toEqual(["string `a", "string b`", "number 1"]);
    expect(told("'a\nif")).toEqual(["string 'a", "keyword if"]);
  });
});
