import { Link } from "@tanstack/react-router";
import { ChartScatter, ChevronDown, ChevronRight, FlaskConical, SearchX } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { formatNumberOf } from "@/shared/lib/format";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Banner } from "@/shared/ui/Banner";
import { Button, buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { SweepBar } from "@/shared/ui/SweepBar";
import { ItemPeek } from "./ItemPeek";
import { ItemGrid } from "./ItemGrid";
import { ItemList } from "./ItemList";
import { scoresFirst } from "./model";
import { RunBar } from "./RunBar";
import { ScatterPanel } from "./ScatterPanel";
import { SummaryTable } from "./SummaryTable";
import { Toolbar } from "./Toolbar";
import { type Results, useResults } from "./useResults";

/** Experiments beside a baseline: what differs, how surely, and in which items. */
export function ResultsPage() {
  const { id: projectId } = useProject();
  const results = useResults();
  const [summary, setSummary] = useUrlState("summary", "shown");
  const [plot, setPlot] = useUrlState("plot", "");
  const { comparison, pages, baseline } = results;
  const list = <Link to="/project/$projectId/experiments" params={{ projectId }} className={buttonClass()}>All experiments</Link>;
  if (baseline === "") {
    return (
      <div className="flex h-full flex-col">
        <PageHeader title="Results" />
        <EmptyState icon={FlaskConical} title="No baseline is chosen" actions={list}>Choose the experiments to compare in the list.</EmptyState>
      </div>
    );
  }
  if (comparison.isError && comparison.data === undefined) {
    return (
      <div className="flex h-full flex-col">
        <PageHeader title="Results" actions={list} />
        <ErrorState error={comparison.error} onRetry={() => void comparison.refetch()} />
      </div>
    );
  }
  const figures = scoresFirst(comparison.data?.figures ?? []);
  const ordered = figures.filter(({ dataType }) => dataType !== "CATEGORICAL");
  const scores = [...new Set(ordered.filter(({ kind }) => kind === "score").map(({ name }) => name))];
  const shown = summary === "shown";
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <PageHeader
        title="Results" documentTitle={`Results: ${results.sides.map(({ name }) => name).join(" · ")}`}
        actions={
          <>
            <Button icon={shown ? ChevronDown : ChevronRight} aria-expanded={shown} onClick={() => setSummary(shown ? "hidden" : "shown")}>Summary</Button>
            <Button icon={ChartScatter} aria-pressed={plot !== ""} disabled={ordered.length === 0} onClick={() => setPlot(plot === "" ? "1" : "")}>Scatter</Button>
            {list}
          </>
        }
      >
        <span role="status" className="text-xs text-text-3">{pages.head?.total === undefined || pages.stale ? "" : formatNumberOf(pages.head.total, "item")}</span>
      </PageHeader>
      <SweepBar busy={(pages.busy && !pages.pending) || comparison.isFetching} />
      <div className="max-h-[60%] shrink-0 overflow-y-auto border-b border-line max-sm:max-h-[45%]">
        <div className="px-3 py-2"><RunBar results={results} /></div>
        {comparison.isError && <Banner tone="danger">The comparison could not be read anew. What you see was read before.</Banner>}
        {shown && (comparison.data === undefined ? <SkeletonRows rows={4} label="Loading the summary" /> : figures.length === 0 ? <p className="px-3 pb-3 text-sm text-text-2">No item has a score, a latency or a cost yet. Scores appear here as soon as evaluators or people give them.</p> : <SummaryTable figures={figures} results={results} />)}
        {plot !== "" && ordered.length > 0 && <ScatterPanel figures={ordered} results={results} />}
      </div>
      <Toolbar results={results} scores={scores} />
      <Items results={results} />
      <ItemPeek results={results} />
    </div>
  );
}

function Items({ results }: { results: Results }) {
  const { pages, regressions, search, all, layout } = results;
  if (pages.error !== null && (pages.rows.list.length === 0 || pages.stale)) return <ErrorState error={pages.error} onRetry={pages.retry} />;
  if (pages.pending) return <SkeletonRows rows={10} label="Loading items" />;
  if (pages.rows.list.length > 0) return layout === "grid" ? <ItemGrid results={results} /> : <ItemList results={results} />;
  if (regressions) {
    return (
      <EmptyState title="No regressions" actions={<Button onClick={() => results.showRegressions(false)}>Show all items</Button>}>
        {results.others.length === 0 ? "Add a run to compare with the baseline." : "No score of any item that both ran is worse than in the baseline."}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={SearchX} title={search === "" ? "No items" : "No item has this text"} actions={search === "" ? undefined : <Button onClick={() => results.setSearch("")}>Clear the search</Button>}>
      {search === "" && !all && "The baseline has no items. Items of other runs are shown with “Items of all runs”."}
    </EmptyState>
  );
}
