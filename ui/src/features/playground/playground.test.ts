import { describe, expect, it } from "vitest";
import { takeEvents } from "./events";
import { messagesOf, messagesOfInput, newVariant, originOf, problemOf, requestOf, savedAs, variablesOfAll, withConfig } from "./variant";

const offered = [
  { provider: "aws", adapter: "bedrock", models: ["x"], problem: "not yet" },
  { provider: "gateway", adapter: "openai", models: ["small", "large"], problem: null },
];

describe("events of a stream", () => {
  it("are taken whole, and the rest waits", () => {
    expect(takeEvents('event: delta\ndata: {"text":"a"}\n\n: heartbeat\n\nevent: done\ndata: {"te')).toEqual({ events: [{ name: "delta", data: '{"text":"a"}' }], rest: 'event: done\ndata: {"te' });
  });
});

describe("variants", () => {
  const variant = { ...newVariant(1, offered), messages: [{ role: "system", content: "" }, { role: "user", content: "Hi {{who}}" }] };

  it("begin with a model that can be called", () => {
    expect(variant).toMatchObject({ provider: "gateway", model: "small" });
    expect(newVariant(1, [])).toMatchObject({ provider: "", model: "" });
  });

  it("become versions of the type that their prompt has", () => {
    const said = [{ role: "user", content: "Hi {{who}}" }];
    expect(savedAs(variant, "new")).toEqual({ type: "chat", prompt: said });
    const text = { ...variant, prompt: { name: "greeting", version: 1 }, isText: true };
    expect(savedAs(text, "greeting")).toEqual({ type: "text", prompt: "Hi {{who}}" });
    expect(savedAs(text, "another")).toEqual({ type: "chat", prompt: said });
    expect(savedAs({ ...text, messages: [...said, { role: "assistant", content: "Hello" }] }, "greeting")).toBeUndefined();
  });

  it("say what is missing before they run", () => {
    expect(problemOf(variant, {})).toBe("Give who a value.");
    expect(problemOf(variant, { who: "Ada" })).toBeUndefined();
    expect(problemOf({ ...variant, model: "" }, { who: "Ada" })).toBe("Choose a model.");
    expect(problemOf({ ...variant, messages: [{ type: "placeholder", name: "history" }] }, {})).toContain("placeholders");
    expect(problemOf({ ...variant, messages: [{ role: "user", content: " " }] }, {})).toBe("Write a message.");
    expect(problemOf({ ...variant, tools: "{}" }, { who: "Ada" })).toBe("Tools are a JSON list.");
    expect(problemOf({ ...variant, schema: "{" }, { who: "Ada" })).toContain("schema");
  });

  it("are sent filled in, without empty messages", () => {
    const tools = '[{"type":"function","function":{"name":"weather","parameters":{"type":"object"}}}, {"name":"time"}]';
    expect(requestOf({ ...variant, tools, schema: '{"type":"object"}', temperature: 0 }, { who: "Ada" })).toEqual({
      provider: "gateway", model: "small", messages: [{ role: "user", content: "Hi Ada" }],
      tools: [{ name: "weather", description: null, parameters: { type: "object" } }, { name: "time", description: null, parameters: null }],
      schema: { type: "object" }, parameters: { temperature: 0, topP: null, maxTokens: null }, prompt: null,
    });
  });

  it("share their variables", () => {
    expect(variablesOfAll([variant, { ...variant, messages: [{ role: "user", content: "{{x}} {{who}}" }] }])).toEqual(["who", "x"]);
  });

  it("take the model of a prompt's config where one offers it", () => {
    expect(withConfig(variant, { model: "large", temperature: 0.5, max_tokens: 9 }, offered)).toMatchObject({ provider: "gateway", model: "large", temperature: 0.5, maxTokens: 9 });
    expect(withConfig(variant, { model: "unknown" }, offered)).toMatchObject({ model: "small" });
    expect(withConfig(variant, null, offered)).toBe(variant);
  });

  it("come from prompts and from inputs of generations", () => {
    expect(messagesOf("text")).toEqual([{ role: "user", content: "text" }]);
    expect(messagesOfInput([{ role: "system", content: "a" }, { role: "tool", content: [1] }])).toEqual([{ role: "system", content: "a" }, { role: "user", content: "[1]" }]);
    expect(messagesOfInput({ messages: [{ role: "user", content: "a" }], tools: [] })).toEqual([{ role: "user", content: "a" }]);
    expect(messagesOfInput({ other: 1 })).toBeUndefined();
    expect(messagesOfInput(null)).toBeUndefined();
  });

  it("know where they come from by the address", () => {
    expect(originOf("prompt:3:support/an:swer")).toEqual({ prompt: "support/an:swer", version: 3 });
    expect(originOf("observation:t1:o1")).toEqual({ traceId: "t1", observationId: "o1" });
    expect(originOf("prompt:0:a")).toBeUndefined();
    expect(originOf("")).toBeUndefined();
  });
});
