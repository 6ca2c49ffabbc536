import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "./message";
import { readConversation } from "./read";

/** A conversation in one line per part, so that shapes can be compared by eye. */
function told(messages: Message[] | null): string[] | null {
  if (messages === null) return null;
  return messages.flatMap((message) =>
    message.parts.map((part) => {
      switch (part.kind) {
        case "call":
          return `${message.role} calls ${part.name}#${part.id ?? ""} ${JSON.stringify(part.arguments)}`;
        case "result":
          return `${message.role} gets #${part.id ?? ""} ${JSON.stringify(part.value)}${part.failed ? " failed" : ""}`;
        case "media":
          return `${message.role} shows ${part.type} ${part.source}`;
        case "other":
          return `${message.role} other ${JSON.stringify(part.value)}`;
        default:
          return `${message.role} ${part.kind}: ${part.text}`;
      }
    }),
  );
}

const asked = ["system text: Be brief.", "user text: Weather in Rome?", 'assistant calls weather#c1 {"city":"Rome"}', 'tool gets #c1 {"celsius":21}', "assistant text: 21 degrees."];

const shapes: Record<string, unknown> = {
  "OpenAI chat": {
    model: "gpt-4o",
    messages: [
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Weather in Rome?" }] },
      { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } }] },
      { role: "tool", tool_call_id: "c1", content: '{"celsius":21}' },
      { role: "assistant", content: "21 degrees." },
    ],
  },
  "OpenAI Responses": {
    model: "gpt-5",
    instructions: "Be brief.",
    input: [
      { role: "user", content: [{ type: "input_text", text: "Weather in Rome?" }] },
      { type: "function_call", call_id: "c1", name: "weather", arguments: '{"city":"Rome"}' },
      { type: "function_call_output", call_id: "c1", output: '{"celsius":21}' },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "21 degrees." }] },
    ],
  },
  Anthropic: {
    system: "Be brief.",
    messages: [
      { role: "user", content: "Weather in Rome?" },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "weather", input: { city: "Rome" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: '{"celsius":21}' }] }] },
      { role: "assistant", content: [{ type: "text", text: "21 degrees." }] },
    ],
  },
  Gemini: {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [
      { role: "user", parts: [{ text: "Weather in Rome?" }] },
      { role: "model", parts: [{ functionCall: { id: "c1", name: "weather", args: { city: "Rome" } } }] },
      { role: "function", parts: [{ functionResponse: { id: "c1", name: "weather", response: { celsius: 21 } } }] },
      { role: "model", parts: [{ text: "21 degrees." }] },
    ],
  },
  Bedrock: {
    system: [{ text: "Be brief." }],
    messages: [
      { role: "user", content: [{ text: "Weather in Rome?" }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "c1", name: "weather", input: { city: "Rome" } } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "c1", content: [{ json: { celsius: 21 } }] } }] },
      { role: "assistant", content: [{ text: "21 degrees." }] },
    ],
  },
  LangChain: [
    [
      { lc: 1, type: "constructor", id: ["langchain", "schema", "messages", "SystemMessage"], kwargs: { content: "Be brief." } },
      { type: "human", content: "Weather in Rome?" },
      { type: "ai", content: "", tool_calls: [{ id: "c1", name: "weather", args: { city: "Rome" }, type: "tool_call" }] },
      { type: "tool", tool_call_id: "c1", content: '{"celsius":21}', status: "success" },
      { type: "ai", content: "21 degrees." },
    ],
  ],
  "AI SDK": [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Weather in Rome?" }] },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "weather", input: { city: "Rome" } }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "weather", output: { celsius: 21 } }] },
    { role: "assistant", content: [{ type: "text", text: "21 degrees." }] },
  ],
  "Pydantic AI": [
    { kind: "request", parts: [{ part_kind: "system-prompt", content: "Be brief." }, { part_kind: "user-prompt", content: "Weather in Rome?" }] },
    { kind: "response", parts: [{ part_kind: "tool-call", tool_call_id: "c1", tool_name: "weather", args: '{"city":"Rome"}' }] },
    { kind: "request", parts: [{ part_kind: "tool-return", tool_call_id: "c1", tool_name: "weather", content: { celsius: 21 } }] },
    { kind: "response", parts: [{ part_kind: "text", content: "21 degrees." }] },
  ],
  "OpenTelemetry GenAI": [
    { role: "system", parts: [{ type: "text", content: "Be brief." }] },
    { role: "user", parts: [{ type: "text", content: "Weather in Rome?" }] },
    { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "weather", arguments: { city: "Rome" } }] },
    { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: { celsius: 21 } }] },
    { role: "assistant", parts: [{ type: "text", content: "21 degrees." }], finish_reason: "stop" },
  ],
  OpenInference: [
    { "message.role": "system", "message.content": "Be brief." },
    { "message.role": "user", "message.contents": [{ "message_content.type": "text", "message_content.text": "Weather in Rome?" }] },
    {
      "message.role": "assistant",
      "message.tool_calls": [{ "tool_call.id": "c1", "tool_call.function.name": "weather", "tool_call.function.arguments": '{"city":"Rome"}' }],
    },
    { message: { role: "tool", tool_call_id: "c1", content: '{"celsius":21}' } },
    { "message.role": "assistant", "message.content": "21 degrees." },
  ],
};

describe("conversations", () => {
  it.each(Object.entries(shapes))("of %s", (name, value) => {
    const resultsByUsers = name === "Anthropic" || name === "Bedrock";
    const want = resultsByUsers ? asked.map((line) => line.replace("tool gets", "user gets")) : asked;
    expect(told(readConversation(value))).toEqual(want);
  });
});

describe("answers", () => {
  it.each<[string, unknown, string[]]>([
    ["OpenAI", { choices: [{ index: 0, message: { role: "assistant", content: "Hi.", refusal: null } }] }, ["assistant text: Hi."]],
    ["a message alone", { role: "assistant", content: "Hi." }, ["assistant text: Hi."]],
    ["Anthropic", { role: "assistant", content: [{ type: "thinking", thinking: "Hm." }, { type: "text", text: "Hi." }] }, ["assistant reasoning: Hm.", "assistant text: Hi."]],
    ["Gemini", { candidates: [{ content: { role: "model", parts: [{ text: "Hm.", thought: true }, { text: "Hi." }] } }] }, ["assistant reasoning: Hm.", "assistant text: Hi."]],
    ["Bedrock", { output: { message: { role: "assistant", content: [{ text: "Hi." }] } } }, ["assistant text: Hi."]],
    ["Responses", { output: [{ type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] }, { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] }] }, ["assistant reasoning: Hm.", "assistant text: Hi."]],
    ["LangChain", { generations: [[{ text: "Hi.", message: { lc: 1, id: ["AIMessage"], kwargs: { content: "Hi." } } }]] }, ["assistant text: Hi."]],
    ["DeepSeek", { role: "assistant", reasoning_content: "Hm.", content: "Hi." }, ["assistant reasoning: Hm.", "assistant text: Hi."]],
  ])("of %s", (_, value, want) => {
    expect(told(readConversation(value))).toEqual(want);
  });
});

describe("media", () => {
  it.each<[unknown, string]>([
    [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }, "user shows image data:image/png;base64,AA"],
    [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } }, "user shows image/png AA"],
    [{ inlineData: { mimeType: "audio/wav", data: "AA" } }, "user shows audio/wav AA"],
    [{ type: "input_audio", input_audio: { data: "AA", format: "mp3" } }, "user shows audio/mp3 AA"],
    [{ type: "file", mediaType: "application/pdf", data: "AA" }, "user shows application/pdf AA"],
  ])("%j", (part, want) => {
    expect(told(readConversation([{ role: "user", content: [part] }]))).toEqual([want]);
  });
});

describe("what is no conversation", () => {
  it.each<[unknown]>([["text"], [null], [42], [[]], [{}], [{ role: "admin", id: 7 }], [[{ role: "user", content: "a" }, { id: 1 }]], [{ messages: "none" }], [{ type: "function", name: "x" }]])(
    "%j",
    (value) => expect(readConversation(value)).toBeNull(),
  );

  it("never throws, whatever it is given", () => {
    const known = fc.constantFrom("role", "content", "parts", "type", "messages", "tool_calls", "kind", "output", "input", "function", "constructor", "__proto__");
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: "small" }, fc.constantFrom("user", "assistant", "tool", "text", null, 1, true), fc.array(tie("value")), fc.dictionary(known, tie("value"))),
    })).value;
    fc.assert(fc.property(json, (value) => void readConversation(value)));
  });
});

it("keeps what it does not know", () => {
  expect(told(readConversation([{ role: "user", content: [{ strange: 1 }] }]))).toEqual(['user other {"strange":1}']);
});

it("tells a failed tool", () => {
  const value = [{ role: "user", content: [{ type: "tool_result", tool_use_id: "c1", is_error: true, content: "boom" }] }];
  expect(told(readConversation(value))).toEqual(['user gets #c1 "boom" failed']);
});
