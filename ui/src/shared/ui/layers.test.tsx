// @vitest-environment jsdom
import { lazy, StrictMode, useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { cleanup, click, focus, get, press, render, type } from "@/shared/test/render";
import { AlertDialog } from "./AlertDialog";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { LazyMenu } from "./LazyMenu";
import { Menu, MenuItem } from "./Menu";
import { Tabs } from "./Tabs";

afterEach(cleanup);

function WithDialog() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Open</Button>
      <Dialog open={open} onOpenChange={setOpen} title="Name it"><input aria-label="Name" /></Dialog>
    </>
  );
}

describe("Dialog", () => {
  it("takes the focus to its first field, and gives it back on Escape", async () => {
    render(<WithDialog />);
    await click(get("button", "Open"));
    expect(get("dialog").getAttribute("aria-labelledby")).not.toBeNull();
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Name");
    await press("Escape");
    expect(document.querySelector("[role=dialog]")).toBeNull();
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Open"));
  });
});

function WithMountedDialog({ keep = false }: { keep?: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Open</Button>
      {open && <Dialog open onOpenChange={() => setOpen(false)} title="Name it" keep={keep}><input aria-label="Name" /></Dialog>}
    </>
  );
}

describe("Dialog that is there only while it is open", () => {
  it("gives the focus back, too", async () => {
    render(<StrictMode><WithMountedDialog /></StrictMode>);
    await click(get("button", "Open"));
    await press("Escape");
    expect(document.querySelector("[role=dialog]")).toBeNull();
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Open"));
  });

  it("stays at a press beside it only if it is to keep", async () => {
    for (const keep of [true, false]) {
      render(<WithMountedDialog keep={keep} />);
      await click(get("button", "Open"));
      await new Promise((resolve) => setTimeout(resolve, 20)); // it listens from the next task on
      await click(document.querySelector(".bg-scrim")!);
      expect(document.querySelector("[role=dialog]") !== null).toBe(keep);
      cleanup();
    }
  });
});

describe("AlertDialog", () => {
  it("acts only when the words are typed", async () => {
    const confirm = vi.fn();
    render(<AlertDialog open onOpenChange={() => undefined} title="Delete shop?" description="All of it goes." action="Delete" confirmText="shop" onConfirm={confirm} />);
    const action = get("button", "Delete") as HTMLButtonElement;
    const field = document.querySelector("input") as HTMLInputElement;
    await type(field, "shoe");
    expect(action.disabled).toBe(true);
    await type(field, "shop");
    expect(action.disabled).toBe(false);
    await click(action);
    expect(confirm).toHaveBeenCalledOnce();
  });
});

describe("Menu", () => {
  it("opens, moves and picks by keys", async () => {
    const pick = vi.fn();
    render(<Menu trigger={<Button>More</Button>}><MenuItem>Copy</MenuItem><MenuItem onSelect={pick}>Delete</MenuItem></Menu>);
    await focus(get("button", "More"));
    await press("ArrowDown");
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Copy"));
    await press("ArrowDown");
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Delete"));
    await press("Enter");
    expect(pick).toHaveBeenCalledOnce();
    expect(document.querySelector("[role=menu]")).toBeNull();
  });
});

function WithTabs() {
  const [tab, setTab] = useState<"io" | "scores">("io");
  return <Tabs label="Details" value={tab} onChange={setTab} tabs={[{ value: "io", label: "I/O" }, { value: "scores", label: "Scores" }]}>panel {tab}</Tabs>;
}

describe("Tabs", () => {
  it("moves between tabs by arrows", async () => {
    render(<WithTabs />);
    await focus(get("tab", "I/O"));
    await press("ArrowRight");
    await vi.waitFor(() => expect(get("tabpanel").textContent).toBe("panel scores"));
    expect(get("tab", "Scores").getAttribute("aria-selected")).toBe("true");
  });
});

describe("LazyMenu", () => {
  const load = vi.fn(async () => ({ default: () => <Menu defaultOpen trigger={<Button>Actions</Button>}><MenuItem>Copy id</MenuItem></Menu> }));
  const Late = lazy(load);

  it("fetches its menu when it is pointed at, opens it at a press, and gives the focus back", async () => {
    render(<LazyMenu trigger={<Button>Actions</Button>} load={load}><Late /></LazyMenu>);
    const button = get("button", "Actions");
    expect(load).not.toHaveBeenCalled();
    expect([button.getAttribute("aria-haspopup"), button.getAttribute("aria-expanded")]).toEqual(["menu", "false"]);
    await focus(button);
    expect(load).toHaveBeenCalledOnce();
    await click(button);
    await vi.waitFor(() => expect(get("menuitem", "Copy id")).toBeTruthy());
    await press("Escape");
    expect(document.querySelector("[role=menu]")).toBeNull();
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Actions"));
  });

  it("opens by the arrow down, as menus do", async () => {
    render(<LazyMenu trigger={<Button>Actions</Button>} load={load}><Late /></LazyMenu>);
    await focus(get("button", "Actions"));
    await press("ArrowDown");
    await vi.waitFor(() => expect(get("menuitem", "Copy id")).toBeTruthy());
  });
});
