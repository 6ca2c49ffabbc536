import { Inbox, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";

export interface EmptyStateProps {
  icon?: LucideIcon;
  title: string;
  /** Why there is nothing, and what to do about it. */
  children?: ReactNode;
  actions?: ReactNode;
  className?: string;
}

export function EmptyState({ icon: Icon = Inbox, title, children, actions, className }: EmptyStateProps) {
  return (
    <div className={cx("flex flex-col items-center justify-center gap-2 px-6 py-12 text-center", className)}>
      <Icon size={28} strokeWidth={1.5} aria-hidden className="text-text-3" />
      <p className="text-base font-medium">{title}</p>
      {children !== undefined && <div className="max-w-md text-sm text-text-2">{children}</div>}
      {actions !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
