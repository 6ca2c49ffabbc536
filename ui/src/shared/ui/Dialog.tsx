import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";
import { IconButton } from "./IconButton";
import { useReturnFocus } from "./useReturnFocus";

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the one that acts last. */
  footer?: ReactNode;
  /** "wide" for tables and code. */
  size?: "normal" | "wide";
  /** A press beside it does not close it: it shows what nobody sees again. */
  keep?: boolean;
}

export const overlayClass = "fixed inset-0 z-40 bg-scrim";

export function Dialog({ open, onOpenChange, title, description, children, footer, size = "normal", keep = false }: DialogProps) {
  const focus = useReturnFocus();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content
          {...(description === undefined && { "aria-describedby": undefined })}
          {...focus}
          onInteractOutside={(event) => keep && event.preventDefault()}
          className={cx(
            "fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-32px)] w-[calc(100vw-32px)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border border-line bg-raised shadow-overlay",
            size === "wide" ? "max-w-4xl" : "max-w-lg",
          )}
        >
          <header className="py-3 pr-14 pl-4">
            <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
            {description !== undefined && <Radix.Description className="mt-0.5 text-sm text-text-2">{description}</Radix.Description>}
          </header>
          {children !== undefined && <div className="min-h-0 flex-1 overflow-auto px-4 pt-1 pb-4">{children}</div>}
          {footer !== undefined && <footer className="flex flex-wrap justify-end gap-2 px-4 pt-2 pb-4">{footer}</footer>}
          {/* Last, so that focus begins at the first field. */}
          <Radix.Close asChild><IconButton icon={X} label="Close" className="absolute top-2.5 right-2.5" /></Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
