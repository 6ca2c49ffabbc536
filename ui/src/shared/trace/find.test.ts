import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { above, hit } from "./folds";
import { parseFind, withLevel } from "./find";
import { match } from "./match";
import { anyTree, testTrace } from "./testing";

const trace = testTrace([
  { parent: -1, name: "research agent", type: "AGENT", duration: 9000, id: "a1" },
  { parent: 0, name: "chat.completion", type: "GENERATION", duration: 2500, total: 1400, cost: "0.0110", model: "gpt-4.1", firstToken: 300 },
  { parent: 0, name: "run_sql", type: "TOOL", duration: 100, level: "ERROR" },
  { parent: 2, name: "Chat.retry", type: "GENERATION", duration: -1, model: "claude" },
]);

const hits = (text: string, server: string[] = []): number[] =>
  [...match(trace, parseFind(text), server).marks].flatMap((mark, row) => ((mark & hit) !== 0 ? [row] : []));

describe("find", () => {
  it.each<[string, number[]]>([
    ["chat", [1, 3]], ["type:tool", [2]], ["type:(TOOL OR AGENT)", [0, 2]], ["-type:TOOL", [0, 1, 3]],
    ["latency:>2", [0, 1]], ["latency:>2 -type:AGENT", [1]], ["latency:<=0.1", [2]], ["level:ERROR", [2]],
    ["tokens:>=1400", [1]], ["cost:>0.01", [1]], ["model:GPT", [1]], ["ttft:>0.2", [1]], ["is:unfinished", [3]],
    ['"research agent"', [0]], ["research sql", []], ["name:(sql OR retry)", [2, 3]], ["id:a1", [0]], ["a1", [0]],
    ["chat type:GENERATION latency:>1", [1]], ["is:leaf", [1, 3]], ["is:root", [0]],
  ])("%s", (text, expected) => {
    expect(hits(text)).toEqual(expected);
  });

  it("counts what the server found in texts as if it were in the name", () => {
    expect(hits("refund", ["o2"])).toEqual([2]);
    expect(hits("refund type:GENERATION", ["o2", "o3", "unknown"])).toEqual([3]);
  });

  it("names what it does not understand and uses the rest", () => {
    expect(parseFind("latency:fast chat").problems).toEqual(["latency: needs a number, such as latency:>2"]);
    expect(parseFind("latency:fast chat").words).toEqual(["chat"]);
    expect(parseFind("http://host x:y").words).toEqual(["http://host", "x:y"]);
    expect(parseFind("type: is:odd").problems).toHaveLength(2);
  });

  it("exchanges the condition on levels only", () => {
    expect(withLevel("chat level:ERROR type:TOOL", "")).toBe("chat type:TOOL");
    expect(withLevel("level:(ERROR OR WARNING)", "level:ERROR")).toBe("level:ERROR");
    expect(withLevel("toplevel:x", "level:ERROR")).toBe("toplevel:x level:ERROR");
  });

  it("never throws, whatever is typed", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => void match(trace, parseFind(text))));
  });

  it("keeps every row above a hit, and none else", () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const rows = testTrace(tree);
        const { marks, hits: count } = match(rows, parseFind("type:TOOL"));
        const found = tree.flatMap((row, i) => (row.type === "TOOL" ? [i] : []));
        expect(count).toBe(found.length);
        const kept = new Set<number>();
        for (const row of found) for (let up = tree[row]!.parent; up >= 0; up = tree[up]!.parent) kept.add(up);
        tree.forEach((row, i) => expect(marks[i]).toBe((row.type === "TOOL" ? hit : 0) | (kept.has(i) ? above : 0)));
      }),
    );
  });
});
