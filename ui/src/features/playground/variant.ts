import type { components } from "@/shared/api/schema.d.ts";
import { type ChatMessage, configProblem, fillIn, isPlaceholder, type PromptContent, type PromptMessage, variablesOf } from "@/shared/prompt/content";

export type OfferedModels = components["schemas"]["OfferedModels"];
export type RunResult = components["schemas"]["PlaygroundResult"];

/** One way of asking, beside others. */
export interface Variant {
  id: number;
  messages: PromptMessage[];
  provider: string;
  model: string;
  temperature: number | null;
  topP: number | null;
  maxTokens: number | null;
  /** JSON as it is typed; "" is none. */
  tools: string;
  schema: string;
  /** The prompt that the messages come from. */
  prompt?: { name: string; version: number };
  /** That prompt is a text, not a chat: its versions stay texts. */
  isText?: boolean;
  /** That prompt includes others, whose texts are in the messages now. */
  includes?: boolean;
}

/** What became of the last run of a variant. */
export interface Run {
  state: "running" | "done" | "failed" | "stopped";
  text: string;
  /** The answer was to follow a schema. */
  bySchema: boolean;
  /** Tools that were called so far. */
  tools: string[];
  result?: RunResult;
  error?: unknown;
}

export function newVariant(id: number, offered: readonly OfferedModels[]): Variant {
  const first = offered.find(({ problem, models }) => problem === null && models.length > 0) ?? offered[0];
  return {
    id, messages: [{ role: "system", content: "" }, { role: "user", content: "" }], provider: first?.provider ?? "", model: first?.models[0] ?? "",
    temperature: null, topP: null, maxTokens: null, tools: "", schema: "",
  };
}

/** The messages of a prompt: a text is what a user says. */
export function messagesOf(content: PromptContent): PromptMessage[] {
  return typeof content === "string" ? [{ role: "user", content }] : content;
}

export interface SavedVersion {
  type: "text" | "chat";
  prompt: PromptContent;
}

/** What a variant is as a version of a prompt; undefined: it cannot be one of this name, whose versions are texts. */
export function savedAs({ messages, prompt, isText = false }: Variant, name: string): SavedVersion | undefined {
  const said = messages.filter((message) => isPlaceholder(message) || message.content.trim() !== "");
  if (!isText || name !== prompt?.name) return { type: "chat", prompt: said };
  const [only] = said;
  return said.length === 1 && only !== undefined && !isPlaceholder(only) ? { type: "text", prompt: only.content } : undefined;
}

/** A config that a prompt may have: a model and its parameters. */
export function withConfig(variant: Variant, config: unknown, offered: readonly OfferedModels[]): Variant {
  if (typeof config !== "object" || config === null) return variant;
  const { model, temperature, top_p: topP, max_tokens: maxTokens } = config as Record<string, unknown>;
  const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : null);
  const home = offered.find(({ models }) => models.includes(String(model)));
  return {
    ...variant, ...(home !== undefined && { provider: home.provider, model: String(model) }),
    temperature: number(temperature), topP: number(topP), maxTokens: number(maxTokens),
  };
}

/** The messages of a generation's input, as far as they are texts; undefined: it has none. */
export function messagesOfInput(input: unknown): PromptMessage[] | undefined {
  if (typeof input === "string") return [{ role: "user", content: input }];
  const list = Array.isArray(input) ? input : (input as { messages?: unknown } | null)?.messages;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const known = new Set(["system", "user", "assistant"]);
  return list.flatMap((message: Record<string, unknown>): ChatMessage[] => {
    const role = known.has(String(message?.role)) ? String(message.role) : "user";
    const content = typeof message?.content === "string" ? message.content : JSON.stringify(message?.content ?? "");
    return [{ role, content }];
  });
}

/** All variables of all variants, each once. */
export const variablesOfAll = (variants: readonly Variant[]) => [...new Set(variants.flatMap(({ messages }) => variablesOf(messages)))];

/** Why a variant cannot be run; undefined: it can. */
export function problemOf(variant: Variant, values: Readonly<Record<string, string>>): string | undefined {
  if (variant.model === "") return "Choose a model.";
  if (variant.messages.some(isPlaceholder)) return "Put messages in the place of placeholders: a run has none.";
  if (variant.messages.every((message) => isPlaceholder(message) || message.content.trim() === "")) return "Write a message.";
  const missing = variablesOf(variant.messages).filter((name) => !values[name]);
  if (missing.length > 0) return `Give ${missing.join(", ")} a value.`;
  if (variant.tools.trim() !== "" && !Array.isArray(parsed(variant.tools))) return "Tools are a JSON list.";
  if (variant.schema.trim() !== "" && configProblem(variant.schema) !== undefined) return "The schema is no JSON.";
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is sent: variables filled in, empty messages left out, tools in the server's shape. */
export function requestOf(variant: Variant, values: Readonly<Record<string, string>>) {
  const messages = variant.messages.flatMap((message) => (isPlaceholder(message) || message.content.trim() === "" ? [] : [{ role: message.role, content: fillIn(message.content, values) }]));
  const tools = variant.tools.trim() === "" ? null : (parsed(variant.tools) as Record<string, unknown>[]).map(toolOf);
  const { temperature, topP, maxTokens } = variant;
  return {
    provider: variant.provider, model: variant.model, messages, tools, schema: variant.schema.trim() === "" ? null : parsed(variant.schema),
    parameters: { temperature, topP, maxTokens }, prompt: variant.prompt ?? null,
  };
}

/** Tools are often written as OpenAI has them, in an object called "function". */
function toolOf(tool: Record<string, unknown>) {
  const { name, description, parameters } = (tool.function ?? tool) as Record<string, unknown>;
  return { name, description: description ?? null, parameters: parameters ?? null };
}

/** Where the messages come from, by the address: "prompt:VERSION:NAME", or "observation:TRACE:ID". */
export type Origin = { prompt: string; version: number } | { traceId: string; observationId: string };

export function originOf(from: string): Origin | undefined {
  const [, version, prompt] = /^prompt:([1-9]\d*):(.+)$/s.exec(from) ?? [];
  if (prompt !== undefined) return { prompt, version: Number(version) };
  const [, traceId, observationId] = /^observation:([^:]+):(.+)$/s.exec(from) ?? [];
  return traceId === undefined || observationId === undefined ? undefined : { traceId, observationId };
}


