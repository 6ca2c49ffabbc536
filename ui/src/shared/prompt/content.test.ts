import { describe, expect, it } from "vitest";
import { configProblem, contentOf, fillIn, placeholdersOf, printContent, referencesOf, tagOf, variablesOf } from "./content";

const chat = contentOf([{ role: "system", content: "You help {{shop}}. @@@langfusePrompt:name=tone|label=production@@@" }, { type: "placeholder", name: "history" }, { type: "chatmessage", role: "user", content: "{{ question }} for {{shop}}" }]);

describe("content of prompts", () => {
  it("is read from what the API sends", () => {
    expect(chat).toEqual([
      { role: "system", content: "You help {{shop}}. @@@langfusePrompt:name=tone|label=production@@@" },
      { type: "placeholder", name: "history" },
      { role: "user", content: "{{ question }} for {{shop}}" },
    ]);
    expect(contentOf("text")).toBe("text");
    expect(contentOf({ odd: true })).toBe('{"odd":true}');
  });

  it("names its variables and placeholders once, in order", () => {
    expect(variablesOf(chat)).toEqual(["shop", "question"]);
    expect(variablesOf("{{1x}} {{}} {{a b}} {{_ok}}")).toEqual(["_ok"]);
    expect(placeholdersOf(chat)).toEqual(["history"]);
    expect(placeholdersOf("text")).toEqual([]);
  });

  it("names the prompts that it includes", () => {
    const text = `${tagOf({ name: "a/b", version: 3 })} ${tagOf({ name: "c", label: "latest" })} ${tagOf({ name: "a/b", version: 3 })} @@@langfusePrompt:name=x@@@ @@@langfusePrompt:name=x|version=0@@@`;
    expect(referencesOf(text)).toEqual([{ name: "a/b", version: 3 }, { name: "c", label: "latest" }]);
    expect(referencesOf(chat)).toEqual([{ name: "tone", label: "production" }]);
  });

  it("is filled in, and keeps what has no value", () => {
    expect(fillIn("{{a}} {{ b }} {{a}}", { a: "$1", b: "" })).toBe("$1 {{ b }} $1");
  });

  it("is printed for comparing", () => {
    expect(printContent(chat)).toContain("── system ──\nYou help {{shop}}.");
    expect(printContent(chat)).toContain("── placeholder: history ──");
  });

  it("has a config that is JSON, or says why not", () => {
    expect(configProblem('{"a": 1}')).toBeUndefined();
    expect(configProblem('{"a": ')).toContain("no JSON");
  });
});
