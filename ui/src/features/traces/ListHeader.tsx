import { Bookmark, ChevronDown, ListFilter, RefreshCw } from "lucide-react";
import { lazy } from "react";
import { useProject } from "@/shared/api/project";
import { cx } from "@/shared/lib/classes";
import { formatNumberOf } from "@/shared/lib/format";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { LazyMenu } from "@/shared/ui/LazyMenu";
import { RangePicker } from "@/shared/ui/RangePicker";
import type { ListState } from "./listState";
import { PresetLinks } from "./PresetLinks";
import { useCurrentView } from "./useViews";

const loadMenu = () => import("./SavedViewMenu");
const SavedViewMenu = lazy(async () => ({ default: (await loadMenu()).SavedViewMenu }));

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
        <ViewsButton state={state} />
        <span className="flex-1 sm:hidden" />
        <RangePicker value={state.range} onChange={state.setRange} now={state.now} />
        <IconButton icon={RefreshCw} label="Refresh" keys="r" iconClassName={cx(busy && "animate-spin")} onClick={state.refresh} />
      </div>
    </header>
  );
}

function ViewsButton({ state }: { state: ListState }) {
  const { current, modified } = useCurrentView(useProject(), state.search);
  const trigger = (
    <Button variant="ghost" icon={Bookmark} className="min-w-0 shrink">
      <span className="max-w-40 truncate">{current?.name ?? "Views"}</span>
      {modified && <span className="size-1.5 rounded-full bg-accent" title="Changed since it was saved"><span className="sr-only">modified</span></span>}
      <ChevronDown size={14} aria-hidden className="text-text-3" />
    </Button>
  );
  return <LazyMenu trigger={trigger} load={loadMenu}><SavedViewMenu state={state} trigger={trigger} /></LazyMenu>;
}
