import { isFields, type Message } from "@/shared/chat/message";
import { readConversation } from "@/shared/chat/read";

/** More of one text than this is not read in a transcript; the trace has all of it. */
export const longestText = 20_000;

export interface Said {
  messages: Message[];
  /** Something was left out. */
  cut: boolean;
}

/** What a turn began with: of a conversation the last message of the user, else all that went in. */
export function asked(text: string): Said {
  return said(text, "user");
}

/** What a turn ended with: of a conversation the last message of the assistant, else all that came out. */
export function answered(text: string): Said {
  return said(text, "assistant");
}

function said(text: string, role: "user" | "assistant"): Said {
  if (text.trim() === "") return { messages: [], cut: false };
  const value = parsed(text);
  if (value === undefined) return plain(text, role);
  const conversation = readConversation(value);
  if (conversation !== null) {
    const last = conversation.findLast((message) => message.role === role && message.parts.some(({ kind }) => kind === "text" || kind === "media")) ?? conversation.at(-1)!;
    return { messages: [last], cut: false };
  }
  const only = onlyText(value);
  return only === undefined ? { messages: [{ role, parts: [{ kind: "other", value }] }], cut: false } : plain(only, role);
}

function plain(text: string, role: "user" | "assistant"): Said {
  return { messages: [{ role, parts: [{ kind: "text", text: text.slice(0, longestText) }] }], cut: text.length > longestText };
}

/** Undefined: it is no JSON, or was cut in the middle. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The text of a JSON string, or of an object that holds nothing else, such as {"question": "…"}. */
function onlyText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isFields(value)) return undefined;
  const [first, ...rest] = Object.values(value);
  return rest.length === 0 && typeof first === "string" ? first : undefined;
}
