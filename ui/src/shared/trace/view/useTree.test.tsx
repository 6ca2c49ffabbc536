// @vitest-environment jsdom
import { act, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, describe, expect, it } from "vitest";
import { parseFind } from "../find";
import type { Marks } from "../folds";
import { match } from "../match";
import { testTrace } from "../testing";
import { treeKey } from "./treeKeys";
import { type Tree, useTree } from "./useTree";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

//  0 a ─ 1 b ─ 2 c
//      └ 3 d ─ 4 e (error)
const rows = testTrace([
  { parent: -1, id: "a" }, { parent: 0, id: "b" }, { parent: 1, id: "c" }, { parent: 0, id: "d" }, { parent: 3, id: "e", level: "ERROR" },
]);
const loaded = { rows, length: 5, complete: true };

let tree: Tree;
let selectedId: string;
let marks: Marks | undefined;
let render: () => void;

function Probe({ onTree }: { onTree: (seen: Tree) => void }) {
  const seen = useTree({ loaded, marks, filtering: true, selectedId, onSelect });
  useEffect(() => {
    onTree(seen);
  });
  return null;
}

function onSelect(id: string): void {
  selectedId = id;
}

function press(...keys: string[]): void {
  for (const key of keys) {
    const run = treeKey({ key, shiftKey: key === "*", ctrlKey: false, metaKey: false, altKey: false }, tree, 3);
    if (typeof run === "function") act(run);
    render();
  }
}

beforeEach(() => {
  selectedId = "";
  marks = undefined;
  const root = createRoot(document.createElement("div"));
  render = () => act(() => root.render(<Probe onTree={(seen) => (tree = seen)} />));
  render();
});

describe("keys of the tree", () => {
  it.each<[string, string[], string]>([
    ["starts at the first row", ["ArrowDown"], "a"],
    ["moves by one", ["ArrowDown", "ArrowDown", "j", "k"], "b"],
    ["stays inside", ["Home", "ArrowUp"], "a"],
    ["goes to the ends", ["End"], "e"],
    ["moves by pages", ["Home", "PageDown"], "d"],
    ["goes to the first child", ["Home", "ArrowRight"], "b"],
    ["folds, then goes to the parent", ["End", "ArrowLeft", "ArrowLeft", "ArrowLeft"], "a"],
  ])("%s", (_, keys, expected) => {
    press(...keys);
    expect(selectedId).toBe(expected);
  });

  it("folds and opens a row", () => {
    press("Home", "ArrowLeft");
    expect([...tree.shown]).toEqual([0]);
    press("ArrowRight");
    expect(tree.shown).toHaveLength(5);
  });

  it("folds all below, and opens all again", () => {
    press("Home", "*");
    expect([...tree.shown]).toEqual([0]);
    press("ArrowRight");
    expect([...tree.shown]).toEqual([0, 1, 3]);
    press("*");
    expect(tree.shown).toHaveLength(5);
  });

  it("leaves keys with Ctrl to the browser, and others to the page", () => {
    expect(treeKey({ key: "ArrowDown", ctrlKey: true, shiftKey: false, metaKey: false, altKey: false }, tree, 3)).toBeUndefined();
    expect(treeKey({ key: "v", ctrlKey: false, shiftKey: false, metaKey: false, altKey: false }, tree, 3)).toBeUndefined();
  });
});

it("opens what is above an error it goes to", () => {
  press("Home", "*");
  act(() => void tree.moveTo(1, (row) => rows.isError(row)));
  render();
  expect(selectedId).toBe("e");
  expect([...tree.shown]).toEqual([0, 1, 3, 4]);
  expect(tree.moveTo(1, () => false)).toBe(false);
});

it("shows what a find hits and what is above it", () => {
  marks = match(rows, parseFind("level:ERROR")).marks;
  render();
  expect([...tree.shown]).toEqual([0, 3, 4]);
});
