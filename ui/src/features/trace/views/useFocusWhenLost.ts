import { type RefObject, useEffect } from "react";

/** A view that came in the place of another takes over the focus that went with it. */
export function useFocusWhenLost(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (document.activeElement === document.body) ref.current?.focus({ preventScroll: true });
  }, [ref]);
}
