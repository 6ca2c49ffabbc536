import { type Fields, isFields, list, type Message, type Part, roleOf, text } from "./message";
import { call, listedCall, partsOf, returned } from "./parts";

/** Reads a conversation from an input or an output. Null when it is none: then it is shown as JSON. */
export function readConversation(value: unknown): Message[] | null {
  const messages = conversation(value);
  return messages === null || messages.length === 0 || messages.every((message) => message.parts.length === 0) ? null : messages;
}

function conversation(value: unknown): Message[] | null {
  const items = list(value);
  if (items !== undefined) return fromList(items);
  return isFields(value) ? fromFields(value) : null;
}

/** Every item has to be a message, or the list is something else. */
function fromList(items: unknown[]): Message[] | null {
  const messages: Message[] = [];
  for (const item of items) {
    const read = Array.isArray(item) ? fromList(item) : isFields(item) ? (one(item) ?? turn(item)) : null;
    if (read === null) return null;
    messages.push(...read);
  }
  return messages;
}

/** The wrappers in which libraries keep their conversations. */
function fromFields(value: Fields): Message[] | null {
  const before = instructions(value);
  for (const wrapped of [value.messages, value.contents, value.prompt_messages, value.input_messages, value.output_messages]) {
    const inner = list(wrapped);
    if (inner !== undefined) return joined(before, fromList(inner));
  }
  const answers = list(value.choices) ?? list(value.candidates) ?? list(value.generations);
  if (answers !== undefined) return joined([], fromAnswers(answers));
  if (isFields(value.output) && isFields(value.output.message)) return conversation(value.output.message);
  if (list(value.output) !== undefined) return fromList(value.output as unknown[]);
  if (before.length > 0 && typeof value.input === "string") return [...before, { role: "user", parts: partsOf(value.input) }];
  if (before.length > 0 && list(value.input) !== undefined) return joined(before, fromList(value.input as unknown[]));
  if (list(value.input) !== undefined && text(value.model) !== undefined) return fromList(value.input as unknown[]);
  return one(value);
}

function instructions(value: Fields): Message[] {
  const said = value.system ?? value.systemInstruction ?? value.system_instruction ?? value.instructions;
  const parts = partsOf(isFields(said) && said.parts !== undefined ? said.parts : said);
  return parts.length === 0 ? [] : [{ role: "system", parts }];
}

function joined(before: Message[], rest: Message[] | null): Message[] | null {
  return rest === null ? null : [...before, ...rest];
}

function fromAnswers(answers: unknown[]): Message[] | null {
  return fromList(
    answers.map((answer) => {
      if (!isFields(answer)) return answer;
      return answer.message ?? answer.content ?? (text(answer.text) === undefined ? answer : { role: "assistant", content: answer.text });
    }),
  );
}

/** One message, or null for an object that is none. */
function one(value: Fields): Message[] | null {
  if (isFields(value.message) && roleOf(value.role) === undefined) return one(value.message);
  if (isFields(value.kwargs) && Array.isArray(value.id)) return one({ type: value.id.at(-1), ...value.kwargs }); // LangChain, serialised
  if (value.kind === "request" || value.kind === "response") return pydantic(value);
  const role = roleOf(value.role) ?? roleOf(value["message.role"]) ?? (value.content === undefined ? undefined : roleOf(value.type));
  if (role === undefined) return null;
  const calls = list(value.tool_calls) ?? list(value["message.tool_calls"]) ?? list(value.toolInvocations) ?? [];
  const content = value.parts ?? value.content ?? value["message.content"] ?? value["message.contents"];
  const thought = text(value.reasoning_content) ?? text(value.reasoning);
  const name = text(value.name) ?? text(value["message.name"]);
  if (role === "tool") return [{ role, ...(name === undefined ? {} : { name }), parts: toolParts(value, content) }];
  const legacy = isFields(value.function_call) ? call(value) : undefined;
  const parts: Part[] = [
    ...(thought === undefined ? [] : [{ kind: "reasoning" as const, text: thought }]),
    ...partsOf(content),
    ...calls.flatMap(listedCall),
    ...(legacy === undefined ? [] : [legacy]),
  ];
  return [{ role, ...(name === undefined ? {} : { name }), parts: withoutRepeats(parts) }];
}

/** A message of a tool is its result, unless its parts are results already. */
function toolParts(value: Fields, content: unknown): Part[] {
  const parts = partsOf(content);
  return parts.some((part) => part.kind === "result") ? parts : [returned({ ...value, id: value.tool_call_id, content })];
}

/** Anthropic through LangChain tells a call twice: as a part and in the list of calls. */
function withoutRepeats(parts: Part[]): Part[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    if (part.kind !== "call" || part.id === undefined) return true;
    const known = seen.has(part.id);
    seen.add(part.id);
    return !known;
  });
}

const pydanticRoles: Record<string, Message["role"]> = { "system-prompt": "system", "user-prompt": "user", "tool-return": "tool", "retry-prompt": "tool" };

/** Pydantic AI puts what the system, the user and tools said into one request. */
function pydantic(value: Fields): Message[] | null {
  const parts = list(value.parts);
  if (parts === undefined) return null;
  if (value.kind === "response") return [{ role: "assistant", parts: partsOf(parts) }];
  return parts.map((part) => ({ role: (isFields(part) ? pydanticRoles[text(part.part_kind) ?? ""] : undefined) ?? "user", parts: partsOf(part) }));
}

/** An item of the Responses API that is no message: a call, a result, a thought. */
function turn(value: Fields): Message[] | null {
  const [part] = partsOf(value);
  if (part === undefined || part.kind === "other" || part.kind === "text") return null;
  return [{ role: part.kind === "result" ? "tool" : "assistant", parts: [part] }];
}
