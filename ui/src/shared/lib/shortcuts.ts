import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { preference } from "./preferences";

/** Keys are written as in "mod+k", "shift+j", "?", or one after the other as in "g t". "mod" is Ctrl, or Cmd on a Mac. */
export interface Shortcut {
  keys: string;
  label: string;
  run: () => void;
}

interface Registered {
  keys: string;
  label: string;
  scope: string;
  run: () => void;
}

const sequenceMs = 1000;
const layers = "[role=dialog][data-state=open],[role=alertdialog][data-state=open],[role=menu][data-state=open]";
const textInputs = "input:not([type=checkbox],[type=radio],[type=button],[type=range]),textarea,select,[contenteditable=true]";

/** What a focused button, link or checkbox takes for itself. */
const controlKeys = /^( |Enter|Arrow.*)$/;

let registered: Registered[] = [];
const listeners = new Set<() => void>();
let typed = "";
let typedAt = 0;

/** Registers what a page or part can do by keys for as long as it is mounted. What came last wins. */
export function useShortcuts(scope: string, shortcuts: Shortcut[]): void {
  const run = useEffectEvent((keys: string) => shortcuts.find((shortcut) => shortcut.keys === keys)?.run());
  const shape = JSON.stringify(shortcuts.map(({ keys, label }) => [keys, label]));
  useEffect(() => {
    const mine = (JSON.parse(shape) as [string, string][]).map(([keys, label]) => ({ keys, label, scope, run: () => run(keys) }));
    update([...mine, ...registered]);
    return () => update(registered.filter((one) => !mine.includes(one)));
  }, [scope, shape]);
}

function update(next: Registered[]): void {
  if (registered.length === 0) window.addEventListener("keydown", onKeyDown);
  registered = next;
  if (registered.length === 0) window.removeEventListener("keydown", onKeyDown);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** All that can be done by keys right now, for the sheet that shows it. */
export function useRegisteredShortcuts(): readonly { keys: string; label: string; scope: string }[] {
  return useSyncExternalStore(subscribe, () => registered);
}

function onKeyDown(event: KeyboardEvent): void {
  const key = keyOf(event);
  if (key === null || event.defaultPrevented || event.isComposing || event.repeat) return;
  if (document.querySelector(layers) !== null || (isPlain(key) && !plainKeysCount(event))) return;
  const before = event.timeStamp - typedAt < sequenceMs ? typed : "";
  const found = (before !== "" && find(`${before} ${key}`)) || find(key);
  typed = !found && registered.some((one) => one.keys.startsWith(`${key} `)) ? key : "";
  typedAt = event.timeStamp;
  if (!found) return;
  event.preventDefault();
  found.run();
}

const find = (keys: string) => registered.find((one) => one.keys === keys);

const isPlain = (key: string) => !/^(mod|alt)\+/.test(key);

function plainKeysCount(event: KeyboardEvent): boolean {
  if (preference("single-keys") === "off") return false;
  if (!(event.target instanceof Element)) return true;
  const inControl = event.target.closest("button,a,input,summary") !== null;
  return event.target.closest(textInputs) === null && !(inControl && controlKeys.test(event.key));
}

/** The name of the pressed key. Shift is part of it for letters and named keys only: "?" is "?" on every keyboard. */
export function keyOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string | null {
  const { key } = event;
  if (["Control", "Meta", "Alt", "Shift", "Dead", "Process"].includes(key)) return null;
  const name = key === " " ? "space" : key.toLowerCase();
  const mods = [
    (event.ctrlKey || event.metaKey) && "mod",
    event.altKey && "alt",
    event.shiftKey && (name.length > 1 || /\p{L}/u.test(name)) && "shift",
  ];
  return [...mods.filter(Boolean), name].join("+");
}
