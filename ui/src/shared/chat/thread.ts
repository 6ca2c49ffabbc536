import type { Message, Part } from "./message";

export type ShownPart = Exclude<Part, { kind: "call" }> | (Extract<Part, { kind: "call" }> & { result?: Extract<Part, { kind: "result" }> });

export interface Turn {
  /** Where it stood in the conversation. */
  place: number;
  role: Message["role"];
  name?: string;
  parts: ShownPart[];
}

/** Puts the result of each call beside the call, wherever libraries put it. A result without a call stays
 * where it is, and so does a turn that says nothing. */
export function threaded(messages: Message[]): Turn[] {
  const results = new Map<string, Extract<Part, { kind: "result" }>>();
  const calls = new Set<string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.kind === "call" && part.id !== undefined) calls.add(part.id);
      if (part.kind === "result" && part.id !== undefined) results.set(part.id, part);
    }
  }
  const isJoined = (part: Part) => part.kind === "result" && part.id !== undefined && calls.has(part.id);
  return messages.flatMap(({ parts, ...message }, place) => {
    const own = parts.filter((part) => !isJoined(part)).map((part) => withResult(part, results));
    return own.length === 0 && parts.length > 0 ? [] : [{ ...message, place, parts: own }];
  });
}

function withResult(part: Part, results: ReadonlyMap<string, Extract<Part, { kind: "result" }>>): ShownPart {
  if (part.kind !== "call" || part.id === undefined) return part;
  const result = results.get(part.id);
  return result === undefined ? part : { ...part, result };
}
