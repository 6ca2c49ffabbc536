import { AlertDialog as Radix } from "radix-ui";
import { type ReactNode, useId, useState } from "react";
import { Button } from "./Button";
import { overlayClass } from "./Dialog";
import { inputClass } from "./Field";
import { useReturnFocus } from "./useReturnFocus";

export interface AlertDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What happens, and what goes along with it. */
  description: ReactNode;
  /** The verb, such as "Delete project". */
  action: string;
  onConfirm: () => void;
  /** The words that have to be typed before the button works. */
  confirmText?: string;
  busy?: boolean;
}

/** Asks before something that cannot be undone. The caller closes it when that is done. */
export function AlertDialog({ open, onOpenChange, ...question }: AlertDialogProps) {
  const focus = useReturnFocus();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content {...focus} className="fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-32px)] w-[calc(100vw-32px)] max-w-md -translate-x-1/2 -translate-y-1/2 overflow-auto rounded-lg border border-line bg-raised shadow-overlay">
          <Question {...question} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Question({ title, description, action, onConfirm, confirmText, busy = false }: Omit<AlertDialogProps, "open" | "onOpenChange">) {
  const [typed, setTyped] = useState("");
  const id = useId();
  const ready = confirmText === undefined || typed.trim() === confirmText;
  return (
    <form
      className="flex flex-col gap-3 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !busy) onConfirm();
      }}
    >
      <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
      <Radix.Description asChild><div className="text-sm text-text-2">{description}</div></Radix.Description>
      {confirmText !== undefined && (
        <label htmlFor={id} className="flex flex-col gap-1 text-xs text-text-2">
          <span>Type <strong className="font-mono font-semibold break-all text-text select-all">{confirmText}</strong> to confirm</span>
          <input id={id} className={inputClass()} value={typed} autoComplete="off" spellCheck={false} onChange={(event) => setTyped(event.target.value)} />
        </label>
      )}
      <div className="flex flex-wrap justify-end gap-2 pt-1">
        <Radix.Cancel asChild><Button>Cancel</Button></Radix.Cancel>
        <Button type="submit" variant="danger" disabled={!ready} busy={busy}>{action}</Button>
      </div>
    </form>
  );
}
