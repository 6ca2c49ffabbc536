import type { Message } from "@/shared/chat/message";
import { readConversation } from "@/shared/chat/read";
import { rootOf } from "@/shared/json/scan";
import { stringOf } from "@/shared/json/text";

export type Format = "chat" | "text" | "json" | "raw";

/** What a text turned out to be. */
export interface ReadText {
  /** A conversation, if it is one and short enough to be read whole. */
  messages: Message[] | null;
  /** A plain text: what is no JSON, or a JSON string. */
  text: string | null;
  isJson: boolean;
}

/** Above this nobody reads it as a conversation, and parsing it would be felt. */
const longestChat = 4_000_000;

/** Finds out what a text is. Never throws: what is nothing else is text. */
export function readText(bytes: Uint8Array): ReadText {
  const kind = rootKind(bytes);
  if (kind === null) return { messages: null, text: new TextDecoder().decode(bytes), isJson: false };
  if (kind === "string") return { messages: null, text: stringOf(bytes, rootOf(bytes)).text, isJson: true };
  if (bytes.length > longestChat || (kind !== "object" && kind !== "array")) return { messages: null, text: null, isJson: true };
  try {
    return { messages: readConversation(JSON.parse(new TextDecoder().decode(bytes))), text: null, isJson: true };
  } catch {
    return { messages: null, text: new TextDecoder().decode(bytes), isJson: false }; // cut in the middle, or broken inside
  }
}

function rootKind(bytes: Uint8Array) {
  try {
    return rootOf(bytes).kind;
  } catch {
    return null;
  }
}

const labels: Record<Format, string> = { chat: "Chat", text: "Text", json: "JSON", raw: "Raw" };

/** The forms in which it can be shown, the best first. */
export function formatsOf({ messages, text, isJson }: ReadText): { value: Format; label: string }[] {
  const formats: Format[] = [...(messages === null ? [] : ["chat" as const]), ...(text === null ? [] : ["text" as const]), ...(isJson ? ["json" as const] : []), "raw"];
  return formats.map((value) => ({ value, label: labels[value] }));
}
