import { describe, expect, it } from "vitest";
import { languages, snippetsFor } from "./snippets";

const key = { publicKey: "pk-lf-1", secretKey: "sk-lf-2" };
const textOf = (language: (typeof languages)[number]["value"], withKey = true) => snippetsFor(language, "https://sonde.example.com/base", withKey ? key : undefined).map(({ code }) => code).join("\n");

describe("snippetsFor", () => {
  it.each(languages)("$label names the server and carries the key", ({ value }) => {
    const text = textOf(value);
    expect(text).toContain("https://sonde.example.com/base");
    expect(value === "otel" ? atob(/Basic ([\w=]+)"/.exec(text)![1]!) : text).toMatch(value === "curl" || value === "otel" ? "pk-lf-1:sk-lf-2" : "sk-lf-2");
  });
  it("encodes the header of the exporters' variable", () => {
    const [, value] = /OTLP_HEADERS="Authorization=([^"]+)"/.exec(textOf("otel"))!;
    expect(value).not.toMatch(/[ =]/);
    expect(decodeURIComponent(value!)).toBe(`Basic ${btoa("pk-lf-1:sk-lf-2")}`);
  });
  it.each(languages)("$label shows dots where the key is not known", ({ value }) => {
    expect(textOf(value, false)).toContain("sk-lf-...");
    expect(textOf(value, false)).not.toContain("sk-lf-2");
  });
  it("sends JSON by curl that the shell completes", () => {
    const [, body] = /<<JSON\n([\s\S]*?)\nJSON/.exec(textOf("curl"))!;
    const filled = body!.replaceAll(/\$\(id \d+\)/g, "00ff").replaceAll(/\$\(\(now - 1\)\)|\$\{now\}/g, "1777629600");
    const [span] = JSON.parse(filled).resourceSpans[0].scopeSpans[0].spans;
    expect(span).toMatchObject({ name: "first-trace", startTimeUnixNano: "1777629600000000000" });
  });
});
