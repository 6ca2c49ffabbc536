import { cx } from "@/shared/lib/classes";
import { useCopy } from "@/shared/lib/copy";
import { LiveRegion } from "./LiveRegion";

/** An id, cut where there is no room; a press copies all of it. */
export function Id({ value, label = "id", className }: { value: string; label?: string; className?: string }) {
  const { copied, copy } = useCopy();
  return (
    <>
      <button
        type="button" title={`Copy ${label}: ${value}`}
        className={cx("inline-flex min-h-6 min-w-0 max-w-full items-center rounded-sm font-mono text-2xs text-text-2 hover:text-accent hover:underline pointer-coarse:min-h-11", className)}
        onClick={(event) => {
          event.stopPropagation(); // rows are often pressed for something else
          copy(value);
        }}
      >
        <span className="sr-only">Copy {label} </span>
        <span className="truncate">{copied ? "Copied" : value}</span>
      </button>
      <LiveRegion>{copied ? "Copied" : ""}</LiveRegion>
    </>
  );
}
