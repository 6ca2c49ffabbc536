import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareConversations, messageText } from "./compare";
import type { Message } from "./message";

const say = (role: Message["role"], text: string): Message => ({ role, parts: [{ kind: "text", text }] });

describe("compareConversations", () => {
  it("keeps what is the same, and pairs what changed by who said it", () => {
    const before = [say("system", "Be brief."), say("user", "Hi"), say("assistant", "Hello"), say("user", "Bye")];
    const after = [say("system", "Be brief."), say("user", "Hi"), say("assistant", "Hi there"), say("tool", "42"), say("user", "Bye")];
    expect(compareConversations(before, after)).toEqual([
      { role: "system", before: "Be brief.", after: "Be brief." }, { role: "user", before: "Hi", after: "Hi" }, { role: "assistant", before: "Hello", after: "Hi there" },
      { role: "tool", before: undefined, after: "42" }, { role: "user", before: "Bye", after: "Bye" },
    ]);
  });

  it("shows every message of both once and in order", () => {
    const any = fc.array(fc.record({ role: fc.constantFrom<Message["role"]>("user", "assistant"), text: fc.constantFrom("a", "b") }).map(({ role, text }) => say(role, text)), { maxLength: 8 });
    fc.assert(fc.property(any, any, (before, after) => {
      const pairs = compareConversations(before, after);
      expect(pairs.flatMap((pair) => pair.before ?? [])).toEqual(before.map(messageText));
      expect(pairs.flatMap((pair) => pair.after ?? [])).toEqual(after.map(messageText));
    }));
  });

  it("writes calls with their arguments", () => {
    expect(messageText({ role: "assistant", parts: [{ kind: "call", name: "search", arguments: { q: "x" } }] })).toBe('Calls search with {\n  "q": "x"\n}');
  });
});
