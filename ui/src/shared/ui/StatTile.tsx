import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";
import { Skeleton } from "./Skeleton";

export interface StatTileProps {
  label: string;
  value: ReactNode;
  /** The change against the time before, such as "+12 %". */
  delta?: string;
  /** Whether that change is good, bad or neither. */
  deltaTone?: "good" | "bad" | "neutral";
  loading?: boolean;
  /** A sparkline. */
  children?: ReactNode;
}

const deltaTones = { good: "text-ok", bad: "text-danger", neutral: "text-text-3" };

export function StatTile({ label, value, delta, deltaTone = "neutral", loading = false, children }: StatTileProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1 rounded-lg border border-line bg-raised px-4 py-3">
      <p className="truncate text-xs text-text-2">{label}</p>
      {loading ? <Skeleton className="h-8 w-24" /> : (
        <p className="flex flex-wrap items-baseline gap-x-2 text-2xl font-semibold">
          {value}
          {delta !== undefined && <span className={cx("text-xs font-medium", deltaTones[deltaTone])}>{delta}</span>}
        </p>
      )}
      {children}
    </div>
  );
}
