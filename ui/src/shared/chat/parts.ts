import { type Fields, isFields, list, type Part, text, unpacked } from "./message";

/** Reads what a message says: a text, or a list of parts in any of the known shapes. */
export function partsOf(content: unknown): Part[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  const parts = list(content);
  if (parts !== undefined) return parts.flatMap(partOf);
  return partOf(content);
}

function partOf(part: unknown): Part[] {
  if (typeof part === "string") return [{ kind: "text", text: part }];
  if (!isFields(part)) return part === null ? [] : [{ kind: "other", value: part }];
  const found = reasoning(part) ?? call(part) ?? result(part) ?? media(part) ?? plain(part);
  return found === undefined ? [{ kind: "other", value: part }] : [found];
}

const typeOf = (part: Fields) => text(part.type) ?? text(part.part_kind) ?? text(part["message_content.type"]) ?? "";

function plain(part: Fields): Part | undefined {
  const said = text(part.text) ?? text(part["message_content.text"]) ?? text(part.refusal) ?? text(part.output_text) ?? text(part.content);
  return said === undefined ? undefined : { kind: "text", text: said };
}

const reasoningTypes = new Set(["reasoning", "thinking", "reasoning_content", "summary_text", "redacted_thinking"]);

function reasoning(part: Fields): Part | undefined {
  if (part.thought === true) return { kind: "reasoning", text: text(part.text) ?? "" };
  const bedrock = isFields(part.reasoningContent) && isFields(part.reasoningContent.reasoningText) ? text(part.reasoningContent.reasoningText.text) : undefined;
  if (bedrock !== undefined) return { kind: "reasoning", text: bedrock };
  if (!reasoningTypes.has(typeOf(part))) return undefined;
  const summary = list(part.summary)?.map((item) => (isFields(item) ? (text(item.text) ?? "") : "")).join("\n");
  return { kind: "reasoning", text: text(part.thinking) ?? text(part.text) ?? text(part.content) ?? text(part.reasoning) ?? summary ?? "" };
}

const callTypes = new Set(["tool_use", "tool-call", "tool_call", "function_call", "server_tool_use"]);

/** A call of a tool, by OpenAI, Anthropic, Gemini, Bedrock, AI SDK, Pydantic AI, OpenTelemetry or OpenInference. */
export function call(part: Fields): Part | undefined {
  for (const nested of [part.functionCall, part.function_call, part.toolUse]) {
    if (isFields(nested)) return made(nested);
  }
  if (isFields(part.function) && text(part.function.name) !== undefined) return { ...made(part.function), ...idOf(part) };
  const flat = text(part["tool_call.function.name"]);
  if (flat !== undefined) return { kind: "call", name: flat, arguments: unpacked(part["tool_call.function.arguments"]), ...idOf(part) };
  if (isFields(part.tool_call)) return call(part.tool_call);
  const uiTool = /^tool-(?!call$|result$|return$)(.+)$/.exec(typeOf(part))?.[1];
  if (uiTool !== undefined) return { ...made(part), name: uiTool };
  return callTypes.has(typeOf(part)) ? made(part) : undefined;
}

/** A call whose type is not told because it stands in a list of calls. */
export function listedCall(part: unknown): Part[] {
  if (!isFields(part)) return [{ kind: "other", value: part }];
  return [call(part) ?? made(part)];
}

function made(part: Fields): Part & { kind: "call" } {
  const name = text(part.name) ?? text(part.toolName) ?? text(part.tool_name) ?? "tool";
  return { kind: "call", name, arguments: unpacked(part.arguments ?? part.args ?? part.input ?? {}), ...idOf(part) };
}

function idOf(part: Fields): { id?: string } {
  const id = text(part.id) ?? text(part.call_id) ?? text(part.toolCallId) ?? text(part.tool_call_id) ?? text(part.toolUseId) ?? text(part.tool_use_id) ?? text(part["tool_call.id"]);
  return id === undefined ? {} : { id };
}

const resultTypes = new Set(["tool_result", "tool-result", "tool_call_response", "function_call_output", "tool-return", "retry-prompt", "web_search_tool_result"]);

function result(part: Fields): Part | undefined {
  for (const nested of [part.functionResponse, part.toolResult]) {
    if (isFields(nested)) return returned(nested);
  }
  return resultTypes.has(typeOf(part)) ? returned(part) : undefined;
}

/** What a tool gave back. */
export function returned(part: Fields): Part & { kind: "result" } {
  const name = text(part.name) ?? text(part.toolName) ?? text(part.tool_name);
  const { id } = idOf({ ...part, id: undefined, call_id: part.call_id ?? part.id });
  const failed = part.is_error === true || part.isError === true || part.status === "error";
  const value = unpacked(onlyText(part.response ?? part.result ?? part.output ?? part.content));
  return { kind: "result", value, ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }), ...(failed ? { failed } : {}) };
}

/** Results that are a list of one text are that text. */
function onlyText(value: unknown): unknown {
  const items = list(value);
  if (items?.length !== 1 || !isFields(items[0])) return value;
  return text(items[0].text) ?? items[0].json ?? value;
}

function media(part: Fields): Part | undefined {
  const type = text(part.mimeType) ?? text(part.mediaType) ?? text(part.media_type) ?? text(part.mime_type);
  const found = (source: unknown, as: string | undefined): Part | undefined => (typeof source === "string" ? { kind: "media", type: type ?? as ?? "", source } : undefined);
  const image = isFields(part.image_url) ? part.image_url.url : part.image_url;
  if (image !== undefined) return found(image, "image");
  if (isFields(part.input_audio)) return found(part.input_audio.data, `audio/${text(part.input_audio.format) ?? "wav"}`);
  if (isFields(part.inlineData)) return found(part.inlineData.data, text(part.inlineData.mimeType));
  if (isFields(part.inline_data)) return found(part.inline_data.data, text(part.inline_data.mime_type));
  if (isFields(part.fileData)) return found(part.fileData.fileUri, text(part.fileData.mimeType));
  if (isFields(part.source) && /image|document/.test(typeOf(part))) return found(part.source.data ?? part.source.url, text(part.source.media_type) ?? typeOf(part));
  if (/^(image|file|audio|video|document|blob|uri|media)$/.test(typeOf(part))) {
    return found(part.data ?? part.image ?? part.url ?? part.uri ?? part.file_id ?? part.content, typeOf(part));
  }
  return undefined;
}
