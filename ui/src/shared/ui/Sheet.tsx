import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";
import { overlayClass } from "./Dialog";
import { IconButton } from "./IconButton";

export interface SheetProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** "bottom" fills a phone's screen. */
  side?: "left" | "right" | "bottom";
  children: ReactNode;
}

const sides = {
  left: "inset-y-0 left-0 w-72 max-w-[calc(100vw-48px)] border-r",
  right: "inset-y-0 right-0 w-120 max-w-full border-l",
  bottom: "inset-x-0 bottom-0 max-h-[calc(100dvh-24px)] rounded-t-lg border-t",
};

export function Sheet({ open, onOpenChange, title, side = "right", children }: SheetProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content aria-describedby={undefined} className={cx("fixed z-50 flex flex-col border-line bg-raised shadow-overlay", sides[side])}>
          <Radix.Title className="flex min-h-11 shrink-0 items-center truncate border-b border-line pr-14 pl-4 text-base font-semibold">{title}</Radix.Title>
          <div className="min-h-0 flex-1 overflow-auto">{children}</div>
          {/* Last, so that focus begins in the content. */}
          <Radix.Close asChild><IconButton icon={X} label="Close" className="absolute top-1 right-2" /></Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
