import { useRef } from "react";

/** For a layer that something else than its own trigger opens: when it closes, focus goes back to where it was. */
export function useReturnFocus() {
  const before = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: () => {
      before.current = document.activeElement;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault(); // it would look for the trigger that is not there
      if (before.current instanceof HTMLElement) before.current.focus();
    },
  };
}
