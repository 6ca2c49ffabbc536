import { describe, expect, it } from "vitest";
import { formatsOf, readText } from "./formats";

const formats = (text: string) => formatsOf(readText(new TextEncoder().encode(text))).map(({ value }) => value);

describe("forms of a text", () => {
  it.each<[string, string, string[]]>([
    ["words", "just words", ["text", "raw"]],
    ["a JSON string", JSON.stringify("quoted"), ["text", "json", "raw"]],
    ["a number", "42", ["json", "raw"]],
    ["a conversation", JSON.stringify([{ role: "user", content: "hi" }]), ["chat", "json", "raw"]],
    ["other JSON", JSON.stringify({ a: 1 }), ["json", "raw"]],
    ["JSON that was cut", '[{"role":"user","content":"hi', ["text", "raw"]],
    ["JSON that is broken inside", '{"a":[1,,2]}', ["text", "raw"]],
    ["nothing", "", ["text", "raw"]],
  ])("%s", (_, text, want) => expect(formats(text)).toEqual(want));
});
