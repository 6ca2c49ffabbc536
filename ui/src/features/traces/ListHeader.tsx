import { ListFilter, RefreshCw } from "lucide-react";
import { lazy, Suspense } from "react";
import { cx } from "@/shared/lib/classes";
import { formatNumberOf } from "@/shared/lib/format";
import { IconButton } from "@/shared/ui/IconButton";
import { RangePicker } from "@/shared/ui/RangePicker";
import type { ListState } from "./listState";
import { PresetLinks } from "./PresetLinks";

const SavedViewMenu = lazy(async () => ({ default: (await import("./SavedViewMenu")).SavedViewMenu }));

export interface ListHeaderProps {
  state: ListState;
  title: string;
  total: number | undefined;
  busy: boolean;
  onFilters: () => void;
  filtersOpen: boolean;
}

/** The top line of a list: which rows, of which time, and how current they are. */
export function ListHeader({ state, title, total, busy, onFilters, filtersOpen }: ListHeaderProps) {
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-3 pt-2">
      <h1 className="text-lg font-semibold max-sm:sr-only">{title}</h1>
      <PresetLinks state={state} />
      <span role="status" className="min-w-16 text-xs text-text-3 max-sm:sr-only">{total === undefined ? "" : formatNumberOf(total, "row")}</span>
      <span className="flex-1 max-sm:hidden" />
      <div className="flex min-w-0 items-center gap-1 max-sm:w-full">
        <IconButton icon={ListFilter} label={filtersOpen ? "Hide filters" : "Show filters"} aria-expanded={filtersOpen} onClick={onFilters} />
        <Suspense fallback={<span className="w-24" />}><SavedViewMenu state={state} /></Suspense>
        <span className="flex-1 sm:hidden" />
        <RangePicker value={state.range} onChange={state.setRange} now={state.now} />
        <IconButton icon={RefreshCw} label="Refresh" keys="r" iconClassName={cx(busy && "animate-spin")} onClick={state.refresh} />
      </div>
    </header>
  );
}
