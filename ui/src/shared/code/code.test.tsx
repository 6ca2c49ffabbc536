// @vitest-environment jsdom
import { EditorView } from "@codemirror/view";
import { act, useState } from "react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { cleanup, focus, press, render } from "@/shared/test/render";
import { CodeField } from "./CodeEditor";
import { DiffView } from "./DiffView";

beforeAll(async () => {
  await Promise.all([import("./EditorBox"), import("./DiffBox")]);
  vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener: () => undefined, removeEventListener: () => undefined }));
  document.head.innerHTML = '<meta name="sonde-nonce" content="n0nce">';
  // jsdom lays nothing out.
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
});
afterEach(cleanup);

/** The lines of an editor, once it is drawn. */
async function content(label: string): Promise<HTMLElement> {
  await act(() => new Promise((done) => setTimeout(done, 0)));
  const found = document.querySelector<HTMLElement>(`.cm-content[aria-label="${label}"]`);
  if (found === null) throw new Error(`no editor ${label} in ${document.body.innerHTML.slice(0, 500)}`);
  return found;
}

function editorOf(element: HTMLElement): EditorView {
  const view = EditorView.findFromDOM(element);
  if (view === null) throw new Error("this is no editor");
  return view;
}

function Form({ onChange, error }: { onChange: (text: string) => void; error?: string }) {
  const [text, setText] = useState("Hello {{name}}");
  return (
    <>
      <CodeField label="Prompt" language="prompt" value={text} error={error} onChange={(next) => { setText(next); onChange(next); }} />
      <button type="button" onClick={() => setText("Reset")}>Reset</button>
    </>
  );
}

describe("CodeEditor", () => {
  it("tells what is typed, and follows what it is given without telling it again", async () => {
    const changed = vi.fn();
    render(<Form onChange={changed} />);
    const element = await content("Prompt");
    expect(element.getAttribute("role")).toBe("textbox");
    expect(element.querySelector(".cm-variable")?.textContent).toBe("{{name}}");
    const view = editorOf(element);
    act(() => view.dispatch({ changes: { from: 0, insert: "Oh. " } }));
    expect(changed).toHaveBeenCalledExactlyOnceWith("Oh. Hello {{name}}");
    await act(async () => document.querySelector("button")?.click());
    expect(view.state.doc.toString()).toBe("Reset");
    expect(changed).toHaveBeenCalledTimes(1);
  });

  it("leaves Tab, Ctrl+S and Ctrl+Enter to the page", async () => {
    render(<Form onChange={() => undefined} />);
    const element = await content("Prompt");
    const left: string[] = [];
    const listener = (event: KeyboardEvent) => !event.defaultPrevented && left.push(event.key);
    window.addEventListener("keydown", listener);
    await focus(element);
    await press("Tab");
    await press("s", { ctrlKey: true });
    await press("Enter", { ctrlKey: true });
    await press("]", { ctrlKey: true, keyCode: 221 });
    window.removeEventListener("keydown", listener);
    expect(left).toEqual(["Tab", "s", "Enter"]);
    expect(editorOf(element).state.doc.toString()).toBe("  Hello {{name}}");
  });

  it("is tied to its error, and its styles carry the nonce of the page", async () => {
    render(<Form onChange={() => undefined} error="A variable has no end." />);
    const element = await content("Prompt");
    expect(element.getAttribute("aria-invalid")).toBe("true");
    expect(document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent).toBe("A variable has no end.");
    expect(editorOf(element).state.facet(EditorView.cspNonce)).toBe("n0nce");
  });
});

describe("DiffView", () => {
  it("shows both texts beside each other, and counts what changed", async () => {
    const box = render(<DiffView before={"one\ntwo\nthree\nfour\nfive"} after={"one\n2\nthree\nfour\n5"} language="text" beforeLabel="Version 1" afterLabel="Version 2" />);
    const [left, right] = [await content("Version 1"), await content("Version 2")];
    expect(left.getAttribute("aria-readonly")).toBe("true");
    expect(editorOf(right).state.doc.toString()).toBe("one\n2\nthree\nfour\n5");
    expect(box.textContent).toContain("2 changes");
  });

  it("shows them in one where there is little room, and says when nothing differs", async () => {
    const box = render(<DiffView before="same" after="same" language="text" layout="unified" />);
    await content("Before to After");
    expect(box.textContent).toContain("No differences");
  });
});
