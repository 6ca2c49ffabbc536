import { ListFilter, RefreshCw } from "lucide-react";
import { cx } from "@/shared/lib/classes";
import { formatCount } from "@/shared/lib/format";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { RangePicker } from "@/shared/ui/RangePicker";
import type { ListState } from "./listState";
import { PresetLinks } from "./PresetLinks";
import { SavedViewMenu } from "./SavedViewMenu";

export interface ListHeaderProps {
  state: ListState;
  title: string;
  total: number | undefined;
  busy: boolean;
  /** Rows that came since the list was read. */
  fresh: number;
  onFilters: () => void;
  filtersOpen: boolean;
}

/** The top line of a list: which rows, of which time, and how current they are. */
export function ListHeader({ state, title, total, busy, fresh, onFilters, filtersOpen }: ListHeaderProps) {
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-3 pt-2">
      <h1 className="text-lg font-semibold">{title}</h1>
      <span role="status" className="min-w-16 text-xs text-text-3">{total === undefined ? "" : `${formatCount(total)} rows`}</span>
      <PresetLinks state={state} />
      <span className="flex-1" />
      {fresh > 0 && <Button variant="primary" className="rounded-full" onClick={state.refresh}>{newRowsText(fresh, state.q !== "")}</Button>}
      <div className="flex min-w-0 items-center gap-1">
        <IconButton icon={ListFilter} label={filtersOpen ? "Hide filters" : "Show filters"} aria-expanded={filtersOpen} onClick={onFilters} />
        <SavedViewMenu state={state} />
        <RangePicker value={state.range} onChange={state.setRange} now={state.now} />
        <IconButton icon={RefreshCw} label="Refresh" keys="r" iconClassName={cx(busy && "animate-spin")} onClick={state.refresh} />
      </div>
    </header>
  );
}

/** The server tells of all rows of the project; which of them meet a query is known after a refresh. */
function newRowsText(count: number, filtered: boolean): string {
  const rows = count === 1 ? "new row" : "new rows";
  return filtered ? `Up to ${formatCount(count)} ${rows}` : `${formatCount(count)} ${rows}`;
}
