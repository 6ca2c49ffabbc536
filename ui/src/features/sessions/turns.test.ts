import { describe, expect, it } from "vitest";
import { answered, asked, longestText } from "./said";
import { blocksOf, turnsOf, windowOf } from "./turns";

type Root = Parameters<typeof turnsOf>[0][number];
const root = (traceId: string, id: string, start: string, end: string | null) => ({ traceId, id, startTime: `2026-11-15T${start}Z`, endTime: end === null ? null : `2026-11-15T${end}Z`, name: id }) as Root;

describe("turnsOf", () => {
  it("orders turns by their beginning and takes the first root of a trace", () => {
    const turns = turnsOf([root("b", "b1", "10:05:00", "10:05:01"), root("a", "a2", "10:00:03", "10:00:04"), root("a", "a1", "10:00:00", "10:00:02")]);
    expect(turns.map(({ id }) => id)).toEqual(["a1", "b1"]);
  });

  it("counts idle time from the end of all that ran before", () => {
    const turns = turnsOf([root("a", "a", "10:00:00", "10:30:00"), root("b", "b", "10:01:00", "10:02:00"), root("c", "c", "10:40:00", null), root("d", "d", "11:00:00", null)]);
    expect(turns.map(({ idle }) => idle / 60_000)).toEqual([0, 0, 10, 20]);
  });
});

describe("windowOf", () => {
  it("begins with the first and goes on for an hour after the last", () => {
    expect(windowOf(turnsOf([root("a", "a", "10:00:00", "10:30:00"), root("b", "b", "10:10:00", null)]))).toEqual({ from: "2026-11-15T10:00:00.000Z", to: "2026-11-15T11:30:00.000Z" });
  });
});

describe("blocksOf", () => {
  it("begins at fixed places, so that scrolling on asks for the same blocks", () => {
    const items = Array.from({ length: 10 }, (_, index) => index);
    expect(blocksOf(items, 4, 5, 6)).toEqual([[4, 5, 6, 7]]);
    expect(blocksOf(items, 4, 3, 20)).toEqual([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]);
  });
});

const textOf = ({ messages }: ReturnType<typeof asked>) => messages.flatMap(({ parts }) => parts.map((part) => (part.kind === "text" ? part.text : part.kind)));

describe("what was said", () => {
  it("is the last message of the user or of the assistant", () => {
    const history = JSON.stringify([{ role: "system", content: "Be kind." }, { role: "user", content: "Hi" }, { role: "assistant", content: "Hello" }, { role: "user", content: "Where is it?" }]);
    expect(textOf(asked(history))).toEqual(["Where is it?"]);
    const calls = JSON.stringify([{ role: "assistant", content: "On its way." }, { role: "assistant", content: null, tool_calls: [{ id: "1", function: { name: "close", arguments: "{}" } }] }]);
    expect(textOf(answered(calls))).toEqual(["On its way."]);
  });

  it("is the text of an object that holds nothing else", () => {
    expect(textOf(asked('{"question":"Where is it?"}'))).toEqual(["Where is it?"]);
    expect(textOf(asked('{"question":"Where is it?","lang":"en"}'))).toEqual(["other"]);
    expect(textOf(asked('"Where?"'))).toEqual(["Where?"]);
    expect(textOf(asked("Where?"))).toEqual(["Where?"]);
    expect(asked(" ").messages).toEqual([]);
  });

  it("cuts what nobody reads in a transcript, and says so", () => {
    const long = asked("x".repeat(longestText + 1));
    expect(long.cut).toBe(true);
    expect(textOf(long)[0]).toHaveLength(longestText);
  });
});
