import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "@/shared/chat/message";
import { noFolds, visibleRows } from "./folds";
import { anyTree, type TestRow, testTrace } from "./testing";
import { newMessages, transcriptOf } from "./transcript";

function transcript(list: TestRow[]) {
  const rows = testTrace(list);
  return transcriptOf(rows, visibleRows(rows, noFolds(rows)));
}

describe("transcriptOf", () => {
  it("groups by agents and leaves plumbing out", () => {
    const items = transcript([
      { parent: -1, type: "SPAN" },
      { parent: 0, type: "AGENT" },
      { parent: 1, type: "GENERATION" },
      { parent: 1, type: "SPAN" },
      { parent: 3, type: "TOOL" },
      { parent: 1, type: "GENERATION" },
      { parent: 1, type: "AGENT" },
      { parent: 6, type: "GENERATION" },
      { parent: 0, type: "GENERATION" },
    ]);
    expect(items).toEqual([
      { row: 1, kind: "agent", depth: 0, opening: false },
      { row: 2, kind: "said", depth: 1, opening: true },
      { row: 4, kind: "step", depth: 1, opening: false },
      { row: 5, kind: "said", depth: 1, opening: false },
      { row: 6, kind: "agent", depth: 1, opening: false },
      { row: 7, kind: "said", depth: 2, opening: true },
      { row: 8, kind: "said", depth: 0, opening: true },
    ]);
  });

  it("keeps errors, wherever they are", () => {
    expect(transcript([{ parent: -1, type: "AGENT" }, { parent: 0, type: "SPAN", level: "ERROR" }]).map(({ kind }) => kind)).toEqual(["agent", "step"]);
  });

  it("tells a trace without models by its roots", () => {
    expect(transcript([{ parent: -1 }, { parent: 0 }, { parent: 0, type: "TOOL" }]).map(({ row, kind }) => [row, kind])).toEqual([[0, "turn"], [2, "step"]]);
    expect(transcript([])).toEqual([]);
  });

  it("has rows in order, each once, in every tree", () => {
    fc.assert(
      fc.property(anyTree, (list) => {
        const found = transcript(list).map(({ row }) => row);
        expect(found).toEqual([...new Set(found)].toSorted((a, b) => a - b));
        expect(found.length > 0).toBe(list.length > 0);
      }),
    );
  });
});

describe("newMessages", () => {
  const say = (role: Message["role"], text: string): Message => ({ role, parts: [{ kind: "text", text }] });
  const result: Message = { role: "tool", parts: [{ kind: "result", value: 1 }] };
  const history = [say("system", "be kind"), say("user", "hi"), say("assistant", "hello"), result, say("user", "and now?")];

  it("tells everything at first", () => expect(newMessages(history, true)).toEqual(history));
  it("tells only what came since", () => expect(newMessages(history, false)).toEqual([say("user", "and now?")]));
  it("repeats no instructions", () => expect(newMessages([say("system", "be kind"), say("user", "hi")], false)).toEqual([say("user", "hi")]));
});
