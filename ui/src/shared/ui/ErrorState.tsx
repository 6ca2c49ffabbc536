import { CircleAlert, RotateCw } from "lucide-react";
import { describeError } from "@/shared/api/describeError";
import { cx } from "@/shared/lib/classes";
import { useCopy } from "@/shared/lib/copy";
import { Button } from "./Button";
import { Id } from "./Id";

export interface ErrorStateProps {
  error: unknown;
  onRetry?: () => void;
  /** One line, for a panel among others. */
  compact?: boolean;
  className?: string;
}

/** What went wrong, what to do about it, and what to tell the operator. */
export function ErrorState({ error, onRetry, compact = false, className }: ErrorStateProps) {
  const { title, message, hint, requestId, details } = describeError(error);
  const { copied, copy } = useCopy();
  return (
    <div role="alert" className={cx("flex flex-col gap-2 text-sm", compact ? "p-3" : "mx-auto max-w-lg px-6 py-12", className)}>
      <p className="flex items-center gap-2 text-base font-medium">
        <CircleAlert size={16} aria-hidden className="shrink-0 text-danger" />
        {title}
      </p>
      <p className="break-words text-text-2">{message}</p>
      {hint !== undefined && <p className="break-words text-text-2">{hint}</p>}
      {requestId !== undefined && <p className="flex items-center gap-1 text-xs text-text-3">Request <Id value={requestId} label="request id" /></p>}
      <div className="mt-1 flex flex-wrap gap-2">
        {onRetry !== undefined && <Button icon={RotateCw} onClick={onRetry}>Try again</Button>}
        <Button onClick={() => copy(details)}>{copied ? "Copied" : "Copy details"}</Button>
      </div>
    </div>
  );
}
