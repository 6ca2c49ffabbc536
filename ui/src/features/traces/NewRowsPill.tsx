import { ArrowUp } from "lucide-react";
import { formatCount } from "@/shared/lib/format";
import type { ListState } from "./listState";

/** Tells over the list that there is more; rows never move by themselves. The server tells of all rows of the
 * project: which of them meet a query is known after a refresh. */
export function NewRowsPill({ count, state }: { count: number; state: ListState }) {
  const rows = count === 1 ? "new row" : "new rows";
  return (
    <div role="status" className="pointer-events-none absolute inset-x-0 top-10 z-20 flex justify-center">
      {count > 0 && (
        <button type="button" className="pointer-events-auto flex h-(--control) items-center gap-1 rounded-full bg-accent px-3 text-xs font-medium text-on-accent shadow-overlay hover:opacity-90" onClick={state.refresh}>
          <ArrowUp size={14} aria-hidden />
          {state.q === "" ? "" : "Up to "}{formatCount(count)} {rows}
        </button>
      )}
    </div>
  );
}
