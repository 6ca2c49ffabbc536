// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cleanup, get, press, render } from "@/shared/test/render";
import { keyOf, useRegisteredShortcuts, useShortcuts } from "./shortcuts";

afterEach(cleanup);
beforeEach(() => localStorage.clear());

const ran = vi.fn();
beforeEach(() => void ran.mockClear());

function Page({ scope = "Page", keys }: { scope?: string; keys: string[] }) {
  useShortcuts(scope, keys.map((each) => ({ keys: each, label: each, run: () => ran(`${scope} ${each}`) })));
  return null;
}

function Listed() {
  return <output>{useRegisteredShortcuts().map(({ keys }) => keys).join(",")}</output>;
}

describe("useShortcuts", () => {
  it("runs single keys, sequences and keys with Ctrl", async () => {
    render(<Page keys={["t", "g t", "mod+k", "?", "shift+j"]} />);
    await press("t");
    await press("g");
    await press("t");
    await press("k", { ctrlKey: true });
    await press("?", { shiftKey: true });
    await press("J", { shiftKey: true });
    await press("j");
    expect(ran.mock.calls.flat()).toEqual(["Page t", "Page g t", "Page mod+k", "Page ?", "Page shift+j"]);
  });
  it("leaves text fields alone, but for keys with Ctrl", async () => {
    render(<><Page keys={["t", "mod+k"]} /><input aria-label="Name" /></>);
    get("textbox", "Name").focus();
    await press("t");
    expect(ran).not.toHaveBeenCalled();
    await press("k", { metaKey: true });
    expect(ran).toHaveBeenCalledOnce();
  });
  it("is silent under an open layer", async () => {
    render(<><Page keys={["t", "mod+k"]} /><div role="dialog" data-state="open" /></>);
    await press("t");
    await press("k", { ctrlKey: true });
    expect(ran).not.toHaveBeenCalled();
  });
  it("leaves Enter and Space to a focused button", async () => {
    render(<><Page keys={["enter", "x"]} /><button type="button">Go</button></>);
    get("button", "Go").focus();
    await press("Enter");
    await press("x");
    expect(ran.mock.calls.flat()).toEqual(["Page x"]);
  });
  it("can be switched off for single keys", async () => {
    localStorage.setItem("sonde.single-keys", "off");
    render(<Page keys={["t", "mod+k"]} />);
    await press("t");
    await press("k", { ctrlKey: true });
    expect(ran.mock.calls.flat()).toEqual(["Page mod+k"]);
  });
  it("prefers what was mounted last, and forgets what is gone", async () => {
    render(<Page scope="Below" keys={["e"]} />);
    render(<Page scope="Above" keys={["e"]} />);
    await press("e");
    cleanup();
    await press("e");
    expect(ran.mock.calls.flat()).toEqual(["Above e"]);
  });
  it("lists what is there", () => {
    const box = render(<><Page keys={["a", "g b"]} /><Listed /></>);
    expect(box.textContent).toBe("a,g b");
  });
});

describe("keyOf", () => {
  const key = (name: string, mods = {}) => keyOf({ key: name, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...mods });
  it("names keys as the registry writes them", () => {
    expect(key("K", { ctrlKey: true, shiftKey: true })).toBe("mod+shift+k");
    expect(key("*", { shiftKey: true })).toBe("*");
    expect(key(" ")).toBe("space");
    expect(key("ArrowUp", { altKey: true })).toBe("alt+arrowup");
    expect(key("Shift", { shiftKey: true })).toBeNull();
  });
});
