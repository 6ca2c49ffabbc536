import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { moveColumn, parseColumns, pinnedFirst, printColumns, toggleColumn, togglePin } from "./columns";
import { moveBy, placesOf, rowAt } from "./rows";
import { extend, isEmpty, isSelected, nothing, selectAll, toggle, toggleLoaded } from "./selection";

const initial = [{ id: "name", pinned: true }, { id: "time", pinned: false }, { id: "cost", pinned: false }];

describe("columns", () => {
  it("come back from an address, whatever their names are", () => {
    const shown = fc.uniqueArray(fc.record({ id: fc.string({ minLength: 1, maxLength: 8 }), pinned: fc.boolean() }), { minLength: 1, selector: ({ id }) => id });
    fc.assert(
      fc.property(shown, (columns) => {
        expect(parseColumns(printColumns(columns, []), initial)).toEqual(pinnedFirst(columns));
      }),
    );
  });

  it("stay out of the address while nothing was changed", () => {
    expect(printColumns(initial, initial)).toBe("");
    expect(parseColumns("", initial)).toEqual(initial);
    expect(parseColumns("a,,a", initial)).toEqual([{ id: "a", pinned: false }]);
  });

  it("are shown, hidden, pinned and moved", () => {
    const ids = (list: { id: string }[]) => list.map(({ id }) => id).join();
    expect(ids(toggleColumn(initial, "time"))).toBe("name,cost");
    expect(ids(toggleColumn(initial, "user"))).toBe("name,time,cost,user");
    expect(ids(togglePin(initial, "cost"))).toBe("name,cost,time");
    expect(ids(moveColumn(initial, "cost", -1))).toBe("name,cost,time");
    expect(ids(moveColumn(initial, "time", -1))).toBe("name,time,cost");
    expect(ids(moveColumn(initial, "cost", 1))).toBe("name,time,cost");
  });
});

describe("rows", () => {
  it("are found by their place", () => {
    const rows = { first: 100, list: ["a", "b"], more: true };
    expect([rowAt(rows, 99), rowAt(rows, 100), rowAt(rows, 101), rowAt(rows, 102)]).toEqual([undefined, "a", "b", undefined]);
    expect(placesOf(rows)).toBe(102);
  });

  it.each([
    ["j", 3, 4], ["ArrowUp", 3, 2], ["k", -1, 0], ["j", -1, 0], ["PageDown", 3, 9], ["PageUp", 3, 0], ["Home", 5, 0], ["End", 5, 9], ["a", 5, undefined],
  ] as const)("%s from %d", (key, current, want) => {
    expect(moveBy(key, current, 10, 8)).toBe(want);
  });
});

describe("selection", () => {
  const loaded = ["a", "b", "c", "d"];
  it("ticks, extends and starts over", () => {
    const one = toggle(nothing, "b", loaded);
    const range = extend(one, "d", loaded);
    expect([...range.keys]).toEqual(["b", "c", "d"]);
    expect([...extend(range, "a", loaded).keys].toSorted()).toEqual(loaded);
    expect(isEmpty(toggle(one, "b", loaded))).toBe(true);
  });
  it("takes one out of all that match", () => {
    const all = selectAll();
    expect(isSelected(all, "unloaded")).toBe(true);
    expect([...toggle(all, "b", loaded).keys]).toEqual(["a", "c", "d"]);
    expect(isEmpty(toggleLoaded(all, loaded))).toBe(true);
    expect([...toggleLoaded(nothing, loaded).keys]).toEqual(loaded);
  });
});
