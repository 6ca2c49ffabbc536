import { expect, it } from "vitest";
import { threaded } from "./thread";

it("puts a result beside its call", () => {
  const turns = threaded([
    { role: "user", parts: [{ kind: "text", text: "?" }] },
    { role: "assistant", parts: [{ kind: "call", id: "a", name: "x", arguments: {} }, { kind: "call", id: "b", name: "y", arguments: {} }] },
    { role: "tool", parts: [{ kind: "result", id: "b", value: 2 }] },
    { role: "tool", parts: [{ kind: "result", id: "a", value: 1 }] },
  ]);
  expect(turns.map((turn) => turn.place)).toEqual([0, 1]);
  expect(turns[1]?.parts.map((part) => part.kind === "call" && part.result?.value)).toEqual([1, 2]);
});

it("keeps a result whose call is not there, and a turn that says nothing", () => {
  const turns = threaded([
    { role: "tool", parts: [{ kind: "result", id: "z", value: 3 }] },
    { role: "assistant", parts: [] },
  ]);
  expect(turns).toEqual([
    { role: "tool", place: 0, parts: [{ kind: "result", id: "z", value: 3 }] },
    { role: "assistant", place: 1, parts: [] },
  ]);
});
