import { cloneElement, type ReactElement, type ReactNode, Suspense, useState } from "react";
import type { ButtonProps } from "./Button";

export interface LazyMenuProps {
  /** A button. */
  trigger: ReactElement<Pick<ButtonProps, "onClick" | "onFocus" | "onKeyDown" | "onPointerEnter" | "aria-haspopup" | "aria-expanded">>;
  kind?: "menu" | "dialog";
  /** Fetches the script of the menu: when somebody points at the button, or reaches it by keyboard. */
  load: () => Promise<unknown>;
  /** The menu, open from the start, with its trigger. */
  children: ReactNode;
}

/** The button of a menu. The menu itself is most of the script, and nobody opens one before the first rows are there. */
export function LazyMenu({ trigger, kind = "menu", load, children }: LazyMenuProps) {
  const [wanted, setWanted] = useState(false);
  const preload = () => void load();
  const closed = cloneElement(trigger, {
    "aria-haspopup": kind, "aria-expanded": wanted, onPointerEnter: preload, onFocus: preload, onClick: () => setWanted(true),
    onKeyDown: (event) => event.key === "ArrowDown" && kind === "menu" && (event.preventDefault(), setWanted(true)),
  });
  return wanted ? <Suspense fallback={closed}>{children}</Suspense> : closed;
}
