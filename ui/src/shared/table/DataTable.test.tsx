// @vitest-environment jsdom
import { useState } from "react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { cleanup, click, focus, get, press, render } from "@/shared/test/render";
import type { Column } from "./columns";
import { DataTable } from "./DataTable";
import { nothing, type Selection } from "./selection";

interface Row {
  id: string;
}

beforeAll(() => {
  // jsdom lays nothing out: a table of 640 by 640 pixels.
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(640);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(640);
  HTMLElement.prototype.scrollTo = () => undefined;
  window.matchMedia = () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }) as unknown as MediaQueryList;
});
afterEach(cleanup);

const known = new Map<string, Column<Row>>([["id", { id: "id", header: "Id", width: 100, cell: (row) => row.id }]]);
const shown = [{ id: "id", pinned: true }];
const list = Array.from({ length: 300 }, (_, index) => ({ id: `r${index}` }));
const keyOf = (row: Row) => row.id;

function Table({ onOpen, onPeek, onPicked, open, more = false }: { open?: string; onOpen?: (row: Row) => void; onPeek?: (row: Row) => void; onPicked?: (keys: string[]) => void; more?: boolean }) {
  const [selection, setSelection] = useState<Selection>(nothing);
  return (
    <DataTable
      label="Rows" known={known} shown={shown} rows={{ first: 0, list, more }} keyOf={keyOf} nameOf={keyOf} open={open} onOpen={onOpen ?? (() => {})} onPeek={onPeek ?? (() => {})}
      selection={selection} onSelection={(next) => (setSelection(next), onPicked?.([...next.keys]))}
    />
  );
}

const current = () => document.activeElement?.getAttribute("aria-rowindex");

describe("DataTable", () => {
  it("is a table with all its rows and columns counted, of which few are drawn", () => {
    render(<Table />);
    const table = get("table", "Rows");
    expect([table.getAttribute("aria-rowcount"), table.getAttribute("aria-colcount")]).toEqual(["301", "2"]);
    const drawn = document.querySelectorAll("tbody tr").length;
    expect(drawn).toBeGreaterThan(19);
    expect(drawn).toBeLessThan(60);
    expect(document.querySelectorAll("th")).toHaveLength(2);
  });

  it("does not claim to know how long a list is that goes on", () => {
    render(<Table more />);
    expect(get("table", "Rows").getAttribute("aria-rowcount")).toBe("-1");
  });

  it("moves by keys, opens, looks and ticks", async () => {
    const [open, peek, picked] = [vi.fn(), vi.fn(), vi.fn()];
    render(<Table onOpen={open} onPeek={peek} onPicked={picked} />);
    await press("j"); // from anywhere on the page to the first row
    expect(current()).toBe("2");
    await press("j");
    await press("ArrowDown");
    expect(current()).toBe("4");
    await press("k");
    await press("Enter");
    expect(open).toHaveBeenCalledWith({ id: "r1" });
    await press(" ");
    expect(peek).toHaveBeenCalledWith({ id: "r1" });
    await press("x");
    await press("j");
    await press("j");
    await press("X", { shiftKey: true });
    expect(picked).toHaveBeenLastCalledWith(["r1", "r2", "r3"]);
    await press("Home");
    expect(current()).toBe("2");
  });

  it("leaves Enter and Space to the controls in a row", async () => {
    const [open, peek] = [vi.fn(), vi.fn()];
    render(<Table onOpen={open} onPeek={peek} />);
    await focus(document.querySelector<HTMLElement>("tbody input")!);
    await press("Enter");
    await press(" ");
    expect(open).not.toHaveBeenCalled();
    expect(peek).not.toHaveBeenCalled();
  });

  it("ticks all loaded rows at once", async () => {
    const picked = vi.fn();
    render(<Table onPicked={picked} />);
    await click(document.querySelector("thead input")!);
    expect(picked.mock.lastCall?.[0]).toHaveLength(300);
  });

  it("goes on by keys from the row that is open beside it", async () => {
    function Both() {
      const [open, setOpen] = useState("r0");
      return <><button type="button" onClick={() => setOpen("r3")}>Next</button><Table open={open} /></>;
    }
    render(<Both />);
    await click(get("button", "Next"));
    expect(document.querySelector("tbody tr[tabindex='0']")?.getAttribute("aria-rowindex")).toBe("5");
    expect(document.querySelector("tbody tr[aria-current]")?.getAttribute("aria-rowindex")).toBe("5");
  });
});
