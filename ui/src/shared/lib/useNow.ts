import { useSyncExternalStore } from "react";

const stepMs = 10_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const tick of listeners) tick();
  }, stepMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function snapshot(): number {
  if (Date.now() - now > stepMs) now = Date.now();
  return now;
}

/** The time, a step at a time: all relative times on a page turn together, by one timer. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, snapshot);
}
