import { useCallback, useSyncExternalStore } from "react";

/** What a person chose for this browser. Nothing here changes what a page shows of the data. */
const choices = {
  theme: ["system", "light", "dark"],
  density: ["compact", "comfortable"],
  sidebar: ["wide", "narrow"],
  "single-keys": ["on", "off"],
} as const;

type Choices = typeof choices;
export type Choice<K extends keyof Choices> = Choices[K][number];

const listeners = new Set<() => void>();
const unsaved = new Map<string, string>(); // storage may be forbidden: then a choice lasts as long as the page

function read(key: string): string | null {
  try {
    return unsaved.get(key) ?? localStorage.getItem(`sonde.${key}`);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(`sonde.${key}`, value);
  } catch {
    unsaved.set(key, value);
  }
  changed();
}

function changed(): void {
  window.dispatchEvent(new Event("sonde:theme")); // theme.js applies theme and density
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener("storage", changed);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener("storage", changed);
  };
}

/** The first choice is the default. */
export function preference<K extends keyof Choices>(key: K): Choice<K> {
  const saved = read(key);
  const found = (choices[key] as readonly string[]).find((choice) => choice === saved);
  return (found ?? choices[key][0]) as Choice<K>;
}

export function usePreference<K extends keyof Choices>(key: K): [Choice<K>, (value: Choice<K>) => void] {
  const value = useSyncExternalStore(subscribe, () => preference(key));
  return [value, useCallback((next: Choice<K>) => write(key, next), [key])];
}

/** A text that is remembered, such as the time zone or the last time range. */
export function useStoredText(key: string, fallback: string): [string, (value: string) => void] {
  const value = useSyncExternalStore(subscribe, () => read(key) ?? fallback);
  return [value, useCallback((next: string) => write(key, next), [key])];
}

/** A size that is remembered, such as the width of a panel. */
export function useStoredNumber(key: string, fallback: number): [number, (value: number) => void] {
  const [text, setText] = useStoredText(key, String(fallback));
  const value = Number(text);
  return [Number.isFinite(value) ? value : fallback, useCallback((next: number) => setText(String(Math.round(next))), [setText])];
}

/** "local", "UTC" or a name such as "Europe/Berlin". */
export function useTimeZone(): [string, (zone: string) => void] {
  return useStoredText("timezone", "local");
}
