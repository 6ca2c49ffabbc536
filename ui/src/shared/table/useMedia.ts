import { useCallback, useSyncExternalStore } from "react";

/** Whether a media query holds, now and when it changes. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

function subscribeToLook(listener: () => void): () => void {
  const coarse = matchMedia("(pointer: coarse)");
  coarse.addEventListener("change", listener);
  window.addEventListener("sonde:theme", listener);
  return () => {
    coarse.removeEventListener("change", listener);
    window.removeEventListener("sonde:theme", listener);
  };
}

/** The height of a row, which follows density and pointer. */
export function useRowHeight(): number {
  return useSyncExternalStore(subscribeToLook, () => Number.parseInt(getComputedStyle(document.documentElement).getPropertyValue("--row"), 10) || 32);
}
