import { type ReactNode, useId } from "react";
import { cx } from "@/shared/lib/classes";
import { ErrorState } from "./ErrorState";
import { Skeleton } from "./Skeleton";

export interface PanelProps {
  /** Left out where the content has a title of its own, as a chart has. */
  title?: string;
  /** Behind the title: how much of all is shown, or a link. */
  aside?: ReactNode;
  /** What went wrong while its content was asked for. */
  error?: unknown;
  onRetry?: () => void;
  /** Its content is on its way. */
  pending?: boolean;
  className?: string;
  children: ReactNode;
}

/** A box among others on a page. What fails in it leaves the others alone. */
export function Panel({ title, aside, error = null, onRetry, pending = false, className, children }: PanelProps) {
  const id = useId();
  return (
    <section aria-labelledby={title === undefined ? undefined : id} className={cx("flex min-w-0 flex-col rounded-lg border border-line bg-raised", className)}>
      {title !== undefined && (
        <header className="flex min-h-10 items-center gap-3 px-4 pt-2">
          <h2 id={id} className="text-sm font-medium">{title}</h2>
          {aside !== undefined && <div className="ml-auto min-w-0 truncate text-xs text-text-3">{aside}</div>}
        </header>
      )}
      {error !== null && <ErrorState compact error={error} onRetry={onRetry} />}
      {error === null && pending && <div role="status" aria-label="Loading" className="flex flex-col gap-3 p-4"><Skeleton className="w-1/3" /><Skeleton className="h-32" /></div>}
      {error === null && !pending && children}
    </section>
  );
}
