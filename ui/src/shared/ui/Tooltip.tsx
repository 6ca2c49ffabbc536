import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { Kbd } from "./Kbd";

export const TooltipProvider = Radix.Provider;

export interface TooltipProps {
  content: ReactNode;
  keys?: string;
  side?: "top" | "right" | "bottom" | "left";
  /** The element it belongs to: one that takes focus, so that the keyboard reaches it. */
  children: ReactNode;
}

export function Tooltip({ content, keys, side = "bottom", children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content side={side} sideOffset={4} collisionPadding={8} className="z-60 flex max-w-72 items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-xs text-text shadow-overlay">
          {content}
          {keys && <Kbd keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
