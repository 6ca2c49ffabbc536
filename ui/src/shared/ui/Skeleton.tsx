import { cx } from "@/shared/lib/classes";

/** Where something will be. It shows only after 150 ms, so that quick answers do not flicker. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cx("skeleton block h-4 rounded-sm", className)} />;
}

/** Rows of a list to come. */
export function SkeletonRows({ rows = 8, label = "Loading" }: { rows?: number; label?: string }) {
  return (
    <div role="status" aria-busy="true" aria-label={label} className="flex flex-col">
      {Array.from({ length: rows }, (_, row) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows without a content of their own
        <div key={row} className="flex h-(--row) items-center gap-4 border-b border-line px-3">
          <Skeleton className="w-24" />
          <Skeleton className={["w-2/5", "w-1/3", "w-1/2", "w-1/4"][row % 4]} />
          <Skeleton className="ml-auto w-16" />
        </div>
      ))}
    </div>
  );
}
