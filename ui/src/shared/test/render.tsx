import { act, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { TooltipProvider } from "@/shared/ui/Tooltip";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
// What jsdom lacks and Radix asks for.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.setPointerCapture ??= () => undefined;
Element.prototype.scrollIntoView ??= () => undefined;

const cleanups: (() => void)[] = [];

/** Shows it in a page of jsdom until the test is over (cleanup). */
export function render(node: ReactNode): HTMLElement {
  const box = document.createElement("div");
  document.body.append(box);
  const root = createRoot(box);
  act(() => root.render(<TooltipProvider>{node}</TooltipProvider>));
  cleanups.push(() => {
    act(() => root.unmount());
    box.remove();
  });
  return box;
}

export function cleanup(): void {
  for (const clean of cleanups.splice(0)) clean();
}

export async function focus(element: HTMLElement): Promise<void> {
  await act(async () => element.focus());
}

/** Presses a key where the focus is. */
export async function press(key: string, init: KeyboardEventInit = {}): Promise<void> {
  await act(async () => {
    const target = document.activeElement ?? document.body;
    target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init }));
    target.dispatchEvent(new KeyboardEvent("keyup", { key, bubbles: true, cancelable: true, ...init }));
  });
}

export async function click(element: Element): Promise<void> {
  await act(async () => {
    if (element instanceof HTMLElement) element.focus();
    element.dispatchEvent(new MouseEvent("pointerdown", { bubbles: true, cancelable: true, button: 0 }));
    element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, button: 0 }));
  });
}

/** Types over the whole text of a field. */
export async function type(input: HTMLInputElement, text: string): Promise<void> {
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, text);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** The element with that role, and with that name where one is given. Fails when it is not there. */
export function get(role: string, name?: string): HTMLElement {
  const found = [...document.querySelectorAll<HTMLElement>(`[role=${role}],${implicit[role] ?? "none"}`)].find(
    (element) => name === undefined || nameOf(element) === name,
  );
  if (found === undefined) throw new Error(`no ${role} ${name ?? ""} in ${document.body.innerHTML.slice(0, 2000)}`);
  return found;
}

const implicit: Record<string, string> = { button: "button", textbox: "input", link: "a" };

function nameOf(element: HTMLElement): string {
  return element.getAttribute("aria-label") ?? element.textContent?.trim() ?? "";
}
