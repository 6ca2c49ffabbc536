import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";

export interface PopoverProps {
  /** A button. */
  trigger: ReactNode;
  /** What the layer is, for those who do not see it. */
  label: string;
  children: ReactNode;
  open?: boolean;
  /** Open as soon as it is there: its button was pressed before. */
  defaultOpen?: boolean;
  onOpenChange?: (open: boolean) => void;
  align?: "start" | "center" | "end";
  side?: "top" | "right" | "bottom" | "left";
  className?: string;
}

export function Popover({ trigger, label, children, open, defaultOpen, onOpenChange, align = "start", side = "bottom", className }: PopoverProps) {
  return (
    <Radix.Root open={open} defaultOpen={defaultOpen} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={cx("z-50 max-h-(--radix-popover-content-available-height) max-w-[calc(100vw-16px)] overflow-auto rounded-lg border border-line bg-raised shadow-overlay", className ?? "p-3")}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export const PopoverClose = Radix.Close;
