import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Columns3, Ellipsis } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { useProject } from "@/shared/api/project";
import { fixedRange } from "@/shared/lib/range";
import { one } from "@/shared/lib/search";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { rememberTraceList } from "@/shared/trace/neighbours";
import { selectAll, nothing } from "@/shared/table/selection";
import { useMedia } from "@/shared/table/useMedia";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { LazyMenu } from "@/shared/ui/LazyMenu";
import { QueryBar } from "@/shared/ui/QueryBar";
import { SweepBar } from "@/shared/ui/SweepBar";
import { cancelReads, type Observation } from "./api";
import { columnGroups } from "./columnGroups";
import { FacetSidebar } from "./FacetSidebar";
import { HistogramStrip } from "./HistogramStrip";
import { ListHeader } from "./ListHeader";
import { ListTable } from "./ListTable";
import { type TableName, useListState } from "./listState";
import { useChosen } from "./useChosen";
import { useColumns } from "./useColumns";
import { useListData } from "./useListData";
import { useNewRows } from "./useNewRows";

// What a first look at the list does without.
const BulkBar = lazy(async () => ({ default: (await import("./BulkBar")).BulkBar }));
const CompareStrip = lazy(async () => ({ default: (await import("./CompareStrip")).CompareStrip }));
const PeekArea = lazy(async () => ({ default: (await import("./PeekArea")).PeekArea }));
const Sheet = lazy(async () => ({ default: (await import("@/shared/ui/Sheet")).Sheet }));

const loadColumnMenu = () => import("@/shared/table/ColumnMenu");
const ColumnMenu = lazy(async () => ({ default: (await loadColumnMenu()).ColumnMenu }));
const loadShareMenu = () => import("./ShareMenu");
const ShareMenu = lazy(async () => ({ default: (await loadShareMenu()).ShareMenu }));
const columnButton = <Button variant="ghost" icon={Columns3}>Columns</Button>;
const shareButton = <IconButton icon={Ellipsis} label="More" />;

/** The columns that show what comes by the second request. */
const previewed: ReadonlySet<string> = new Set(["input", "output", "totalTokens", "inputTokens", "outputTokens", "totalCost"]);

export interface ListPageProps {
  table: TableName;
  title: string;
}

/** Traces and observations: one page, of which the first shows roots only. */
export function ListPage({ table, title }: ListPageProps) {
  const project = useProject();
  const navigate = useNavigate();
  const client = useQueryClient();
  const state = useListState(table);
  const columns = useColumns(state);
  const wide = useMedia("(min-width: 900px)");
  const phone = useMedia("(max-width: 639px)");
  const [filters, setFilters] = useState<boolean>();
  const peek = one(state.search, "peek");
  // Three panels side by side need a large screen.
  const roomy = useMedia("(min-width: 1600px)");
  const filtersOpen = filters ?? (wide && (roomy || peek === undefined));
  const withPreviews = phone || columns.shown.some(({ id }) => previewed.has(id));
  const { pages, histogram, measure, facets, previews, scores, onVisible, partial, total } = useListData(state, columns.fields, { facets: filtersOpen, previews: withPreviews, traces: table === "traces", scores: columns.scores });
  const { selection, setSelection, chosen } = useChosen(state.asked, pages.rows.list);
  const fresh = useNewRows(project.id, table === "traces" ? "roots" : "rows", state.now, "last" in state.range);
  useShortcuts("List", [{ keys: "r", label: "Refresh", run: state.refresh }]);

  // The page of a trace goes on from here to the next one.
  const { list } = pages.rows;
  useEffect(() => rememberTraceList({ projectId: project.id, traceIds: [...new Set(list.flatMap(({ traceId }) => traceId ?? []))] }), [project.id, list]);

  const { update, requestId } = state;
  // Both: behind a balancer another node may get the request, and a proxy may keep the connection open.
  const cancel = useCallback(() => {
    void cancelReads(project, requestId).catch(() => undefined);
    for (const part of ["rows", "histogram", "facets"]) void client.cancelQueries({ queryKey: [part, project.id] });
  }, [client, project, requestId]);
  const open = useCallback(
    ({ traceId, id, isRootObservation }: Observation) => {
      if (traceId !== null) void navigate({ to: "/project/$projectId/traces/$traceId", params: { projectId: project.id, traceId }, search: (isRootObservation ? {} : { observation: id }) as never });
    },
    [navigate, project.id],
  );
  const look = useCallback((row: Observation) => (phone ? open(row) : update({ peek: row.id })), [phone, open, update]);
  const groups = useMemo(() => columnGroups(facets.data), [facets.data]);

  const sidebar = <FacetSidebar state={state} facets={facets.data} error={facets.error} stopped={pages.stopped} onRetry={() => void facets.refetch()} partial={partial} />;
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <ListHeader state={state} title={title} total={total} busy={pages.busy} onFilters={() => setFilters(!filtersOpen)} filtersOpen={filtersOpen} />
      <div className="flex items-start gap-1 px-3 py-2">
        <QueryBar label="Query" className="flex-1" value={state.q} onCommit={state.setQuery} known={facets.data?.values} placeholder='Filter: level:ERROR latency:>2 "refund"' />
        {!phone && (
          <LazyMenu kind="dialog" trigger={columnButton} load={loadColumnMenu}>
            <ColumnMenu trigger={columnButton} groups={groups} shown={columns.shown} onShown={columns.setShown} widths={columns.widths} onWidth={columns.setWidth} onReset={columns.reset} />
          </LazyMenu>
        )}
        <LazyMenu trigger={shareButton} load={loadShareMenu}><ShareMenu trigger={shareButton} state={state} fields={columns.fields} total={total} /></LazyMenu>
      </div>
      <SweepBar busy={pages.busy && !pages.pending} />
      {(state.asked !== null || histogram.data !== undefined) && !pages.stopped && (
        <HistogramStrip
          histogram={histogram.data} measure={measure} onMeasure={(next) => update({ chart: next === "latency" ? next : undefined })} error={histogram.error} onRetry={() => void histogram.refetch()} partial={partial}
          onSelect={(start, end) => state.setRange(fixedRange(start, end))} onCompare={(cmp) => update({ cmp }, true)}
        />
      )}
      {state.search.cmp !== undefined && <Suspense><CompareStrip state={state} selection={one(state.search, "cmp") ?? ""} /></Suspense>}
      {chosen !== null && (
        <Suspense>
          <BulkBar
            table={table} chosen={chosen} count={selection.all ? total : selection.keys.size} fields={columns.fields} total={total}
            onAll={selection.all ? undefined : () => setSelection(selectAll())} onClear={() => setSelection(nothing)}
            onDeleted={() => (setSelection(nothing), state.refresh())}
          />
        </Suspense>
      )}
      <div className="flex min-h-0 flex-1">
        {wide && filtersOpen && <aside aria-label="Filters" className="w-60 shrink-0 overflow-auto border-r border-line">{sidebar}</aside>}
        {!wide && filters === true && <Suspense><Sheet open onOpenChange={setFilters} title="Filters" side="left">{sidebar}</Sheet></Suspense>}
        <ListTable
          label={title} state={state} columns={columns} pages={pages} onCancel={cancel} previews={previews} scores={scores} onVisible={onVisible} total={total} fresh={fresh} phone={phone}
          peek={peek} onOpen={open} onPeek={look} selection={selection} onSelection={setSelection}
        />
        {peek !== undefined && <Suspense><PeekArea id={peek} rows={pages.rows.list} wide={wide} onPeek={(id) => update({ peek: id })} /></Suspense>}
      </div>
    </div>
  );
}
