import { type ReactNode, useId } from "react";
import { cx } from "@/shared/lib/classes";

export interface SectionProps {
  title: string;
  description?: ReactNode;
  /** At the end of its head: buttons. */
  actions?: ReactNode;
  /** What it does cannot be undone. */
  danger?: boolean;
  children?: ReactNode;
}

/** One subject of a settings page. */
export function Section({ title, description, actions, danger = false, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={cx("flex flex-col gap-4 rounded-lg border bg-raised p-4", danger ? "border-danger" : "border-line")}>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-60 flex-1">
          <h2 id={id} className="text-base font-semibold">{title}</h2>
          {description !== undefined && <div className="mt-0.5 max-w-prose text-sm text-text-2">{description}</div>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** What a person cannot do here, and who can. */
export function RoleNote({ children }: { children: ReactNode }) {
  return <p className="rounded-md bg-surface px-3 py-2 text-sm text-text-2">{children}</p>;
}
