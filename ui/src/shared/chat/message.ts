/** One turn of a conversation, whatever library wrote it down. */
export interface Message {
  role: Role;
  /** Of the speaker or of the tool, where it is known. */
  name?: string;
  parts: Part[];
}

export type Role = "system" | "user" | "assistant" | "tool";

export type Part =
  | { kind: "text"; text: string }
  | { kind: "reasoning"; text: string }
  | { kind: "call"; id?: string; name: string; arguments: unknown }
  | { kind: "result"; id?: string; name?: string; value: unknown; failed?: boolean }
  | { kind: "media"; type: string; source: string }
  | { kind: "other"; value: unknown };

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function list(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Arguments often come as JSON in a string. What is no JSON stays a string. */
export function unpacked(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

const roles: Record<string, Role> = {
  system: "system", developer: "system", systemmessage: "system",
  user: "user", human: "user", humanmessage: "user",
  assistant: "assistant", ai: "assistant", model: "assistant", aimessage: "assistant", aimessagechunk: "assistant", chatbot: "assistant",
  tool: "tool", function: "tool", toolmessage: "tool", functionmessage: "tool",
};

/** Undefined for a word that is no role: then the object is no message. */
export function roleOf(value: unknown): Role | undefined {
  return typeof value === "string" && Object.hasOwn(roles, value.toLowerCase()) ? roles[value.toLowerCase()] : undefined;
}
