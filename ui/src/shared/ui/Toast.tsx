import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from "react";
import { Button } from "./Button";
import { IconButton } from "./IconButton";

export interface ToastMessage {
  kind?: "ok" | "info" | "error";
  title: string;
  detail?: string;
  action?: { label: string; run: () => void };
}

type Shown = ToastMessage & { id: number };

const stayMs = 6000;
const atMost = 4;

const ToastContext = createContext<((message: ToastMessage) => void) | null>(null);

/** Tells that something was done or went wrong, in a corner. Errors stay until they are closed. */
export function useToast(): (message: ToastMessage) => void {
  const show = use(ToastContext);
  if (show === null) throw new Error("useToast outside of a ToastProvider");
  return show;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Shown[]>([]);
  const next = useRef(0);
  const show = useCallback((message: ToastMessage) => {
    setToasts((before) => [...before, { ...message, id: next.current++ }].slice(-atMost));
  }, []);
  const close = useCallback((id: number) => setToasts((before) => before.filter((toast) => toast.id !== id)), []);
  return (
    <ToastContext value={show}>
      {children}
      <section aria-label="Notifications" aria-live="polite" className="pointer-events-none fixed right-3 bottom-3 z-60 flex w-88 max-w-[calc(100vw-24px)] flex-col gap-2 max-md:bottom-18">
        {toasts.map((toast) => <ToastCard key={toast.id} toast={toast} onClose={close} />)}
      </section>
    </ToastContext>
  );
}

const icons = {
  ok: <CircleCheck size={16} aria-hidden className="shrink-0 text-ok" />,
  info: <Info size={16} aria-hidden className="shrink-0 text-accent" />,
  error: <CircleAlert size={16} aria-hidden className="shrink-0 text-danger" />,
};

function ToastCard({ toast, onClose }: { toast: Shown; onClose: (id: number) => void }) {
  const { id, kind = "ok", title, detail, action } = toast;
  const [held, setHeld] = useState(false); // looked at, by pointer or focus
  useEffect(() => {
    if (held || kind === "error") return;
    const timer = setTimeout(() => onClose(id), stayMs);
    return () => clearTimeout(timer);
  }, [held, kind, id, onClose]);
  return (
    <div
      role={kind === "error" ? "alert" : undefined}
      className="pointer-events-auto flex items-center gap-2 rounded-lg border border-line bg-raised py-2 pr-1 pl-3 shadow-overlay"
      onPointerEnter={() => setHeld(true)} onPointerLeave={() => setHeld(false)} onFocus={() => setHeld(true)} onBlur={() => setHeld(false)}
    >
      {icons[kind]}
      <div className="min-w-0 flex-1">
        <p className="text-sm font-medium break-words">{title}</p>
        {detail !== undefined && <p className="text-xs break-words text-text-2">{detail}</p>}
      </div>
      {action !== undefined && (
        <Button
          variant="ghost"
          onClick={() => {
            action.run();
            onClose(id);
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon={X} label="Close notification" onClick={() => onClose(id)} />
    </div>
  );
}
