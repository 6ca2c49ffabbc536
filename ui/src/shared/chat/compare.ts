import { common } from "@/shared/trace/align";
import type { Message, Part } from "./message";

/** A message of one conversation beside the one that stands for it in another; undefined where there is none. */
export interface MessagePair {
  role: Message["role"];
  before: string | undefined;
  after: string | undefined;
}

/** Pairs the messages of two conversations: those that say the same in the same order, and between them one after the other by role. */
export function compareConversations(before: readonly Message[], after: readonly Message[]): MessagePair[] {
  const [textsA, textsB] = [before.map(messageText), after.map(messageText)];
  const pairs: MessagePair[] = [];
  const between = (fromA: number, toA: number, fromB: number, toB: number) => {
    const [rolesA, rolesB] = [before.slice(fromA, toA), after.slice(fromB, toB)].map((messages) => messages!.map(({ role }) => role)) as [string[], string[]];
    let [i, j] = [fromA, fromB];
    const alone = (untilA: number, untilB: number) => {
      for (; i < untilA; i++) pairs.push({ role: before[i]!.role, before: textsA[i], after: undefined });
      for (; j < untilB; j++) pairs.push({ role: after[j]!.role, before: undefined, after: textsB[j] });
    };
    for (const [atA, atB] of common(rolesA, rolesB)) {
      alone(fromA + atA, fromB + atB);
      pairs.push({ role: before[i]!.role, before: textsA[i++], after: textsB[j++] });
    }
    alone(toA, toB);
  };
  let [i, j] = [0, 0];
  for (const [atA, atB] of common(before.map((message, at) => `${message.role} ${textsA[at]}`), after.map((message, at) => `${message.role} ${textsB[at]}`))) {
    between(i, atA, j, atB);
    pairs.push({ role: before[atA]!.role, before: textsA[atA], after: textsB[atB] });
    [i, j] = [atA + 1, atB + 1];
  }
  between(i, before.length, j, after.length);
  return pairs;
}

/** All that a message says, as one text: calls with their arguments, results, and what media are there. */
export function messageText({ name, parts }: Message): string {
  return [...(name === undefined ? [] : [`(${name})`]), ...parts.map(partText)].join("\n\n");
}

const printed = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));

function partText(part: Part): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "reasoning":
      return `Reasoning: ${part.text}`;
    case "call":
      return `Calls ${part.name} with ${printed(part.arguments)}`;
    case "result":
      return `Result${part.name === undefined ? "" : ` of ${part.name}`}${part.failed ? ", failed" : ""}: ${printed(part.value)}`;
    case "media":
      return `[${part.type}] ${part.source.slice(0, 200)}`;
    default:
      return printed(part.value);
  }
}
