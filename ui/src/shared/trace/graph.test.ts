import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noFolds, visibleRows } from "./folds";
import { drawable, graphOf, type Grouping } from "./graph";
import { layOut, nodeSize } from "./layOut";
import { anyTree, type TestRow, testTrace } from "./testing";

const list: TestRow[] = [
  { parent: -1, name: "agent", type: "AGENT", duration: 100 },
  { parent: 0, name: "chat", type: "GENERATION", duration: 10, cost: "0.1" },
  { parent: 0, name: "search", type: "TOOL", duration: -1, level: "ERROR" },
  { parent: 0, name: "chat", type: "GENERATION", duration: 20, cost: "0.2" },
  { parent: 0, name: "agent", type: "AGENT", duration: 5 },
  { parent: 4, name: "chat", type: "TOOL" },
];

function graph(trace: TestRow[], by: Grouping = "name") {
  const rows = testTrace(trace);
  return graphOf(rows, visibleRows(rows, noFolds(rows)), by);
}

describe("graphOf", () => {
  it("puts rows of a name and type together", () => {
    const { nodes, edges } = graph(list);
    expect(nodes.map(({ name, type, calls, time, cost, errors, loops, row }) => [name, type, calls, time, cost, errors, loops, row])).toEqual([
      ["agent", "AGENT", 2, 105, null, 0, 1, 0],
      ["chat", "GENERATION", 2, 30, "0.3", 0, 0, 1],
      ["search", "TOOL", 1, null, null, 1, 0, 2],
      ["chat", "TOOL", 1, 0, null, 0, 0, 5],
    ]);
    expect(edges).toEqual([{ from: 0, to: 1, calls: 2 }, { from: 0, to: 2, calls: 1 }, { from: 0, to: 3, calls: 1 }]);
  });

  it("or draws every call", () => {
    const { nodes, edges } = graph(list, "call");
    expect(nodes).toHaveLength(6);
    expect(edges).toHaveLength(5);
  });

  it("hangs rows whose parent is left out on the next above", () => {
    const rows = testTrace([{ parent: -1, name: "a" }, { parent: 0, name: "b" }, { parent: 1, name: "c" }]);
    expect(graphOf(rows, Int32Array.from([0, 2]), "name").edges).toEqual([{ from: 0, to: 1, calls: 1 }]);
  });

  it("takes names together where they are too many to draw", () => {
    const steps = (name: (n: number) => string) => {
      const rows = testTrace(Array.from({ length: 400 }, (_, n) => ({ parent: n === 0 ? -1 : 0, name: name(n) })));
      const shown = visibleRows(rows, noFolds(rows));
      const by = drawable(rows, shown);
      return [by, graphOf(rows, shown, by).nodes.map(({ name: label, calls }) => [label, calls])];
    };
    expect(steps((n) => (n === 0 ? "run" : "step"))).toEqual(["name", [["run", 1], ["step", 399]]]);
    expect(steps((n) => (n === 0 ? "run" : `step ${n}`))).toEqual(["pattern", [["run", 1], ["step #", 399]]]);
    expect(steps((n) => "x".repeat(n + 1))).toEqual(["type", [["any span", 400]]]);
  });

  it("counts every row once, in every tree", () => {
    fc.assert(
      fc.property(anyTree, fc.constantFrom<Grouping>("call", "name", "pattern", "type"), (trace, by) => {
        const { nodes, edges } = graph(trace, by);
        const sum = (calls: number[]) => calls.reduce((total, each) => total + each, 0);
        expect(sum(nodes.map(({ calls }) => calls))).toBe(trace.length);
        expect(sum(edges.map(({ calls }) => calls)) + sum(nodes.map(({ loops }) => loops))).toBe(trace.filter(({ parent }) => parent >= 0).length);
      }),
    );
  });
});

describe("layOut", () => {
  it.each([
    ["above", "y", "height", 2],
    ["left of", "x", "width", 9],
  ] as const)("gives nodes a place of their own, callers %s what they call", (_, axis, side, called) => {
    const edges = Array.from({ length: called }, (__, place) => ({ from: 0, to: place + 1, calls: 1 }));
    const laid = layOut(called + 1, edges);
    expect(laid.nodes).toHaveLength(called + 1);
    for (const { from, to } of edges) expect(laid.nodes[from]![axis] + nodeSize[side]).toBeLessThan(laid.nodes[to]![axis]);
    for (const [i, a] of laid.nodes.entries()) {
      for (const b of laid.nodes.slice(i + 1)) expect(Math.abs(a.x - b.x) >= nodeSize.width || Math.abs(a.y - b.y) >= nodeSize.height).toBe(true);
      expect(a.x >= 0 && a.x + nodeSize.width <= laid.width && a.y >= 0 && a.y + nodeSize.height <= laid.height).toBe(true);
    }
    expect(laid.edges.every((points) => points.length >= 2)).toBe(true);
  });

  it("lays out what calls itself in a circle, and nothing", () => {
    expect(layOut(2, [{ from: 0, to: 1, calls: 1 }, { from: 1, to: 0, calls: 1 }]).edges).toHaveLength(2);
    expect(layOut(0, []).nodes).toEqual([]);
  });
});
