import { RefreshCw, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/shared/lib/classes";
import { formatCount } from "@/shared/lib/format";
import { describeRange, widerRange } from "@/shared/lib/range";
import { useShortcuts } from "@/shared/lib/shortcuts";
import type { Column, Shown } from "@/shared/table/columns";
import { DataTable } from "@/shared/table/DataTable";
import { useMedia } from "@/shared/table/useMedia";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { PageHeader } from "@/shared/ui/PageHeader";
import { QueryBar } from "@/shared/ui/QueryBar";
import { RangePicker } from "@/shared/ui/RangePicker";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { SweepBar } from "@/shared/ui/SweepBar";
import type { Activity } from "./useActivity";

export interface ActivityListProps<Row> {
  title: string;
  /** What the rows are, in the plural: "sessions". */
  noun: string;
  list: Activity<Row>;
  known: ReadonlyMap<string, Column<Row>>;
  shown: readonly Shown[];
  card: { column: Column<Row>; height: number };
  placeholder: string;
  onOpen: (row: Row) => void;
  /** How observations come to have one, for those who see none. */
  children: ReactNode;
}

const idOf = ({ id }: { id: string }) => id;

/** A page that lists users or sessions, each with what its observations add up to. */
export function ActivityList<Row extends { id: string }>({ title, noun, list, known, shown, card, placeholder, onOpen, children }: ActivityListProps<Row>) {
  const { pages, q, query } = list;
  const phone = useMedia("(max-width: 639px)");
  useShortcuts("List", [{ keys: "r", label: "Refresh", run: list.refresh }]);
  const { total, since } = pages.head ?? {};
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <PageHeader
        title={title}
        actions={
          <>
            <RangePicker value={list.range} onChange={list.setRange} now={list.now} />
            <IconButton icon={RefreshCw} label="Refresh" keys="r" iconClassName={cx(pages.busy && "animate-spin")} onClick={list.refresh} />
          </>
        }
      >
        <span role="status" className="text-xs text-text-3 max-sm:sr-only">{total === undefined || pages.stale ? "" : `${formatCount(total)} ${noun}`}</span>
      </PageHeader>
      <div className="flex flex-col gap-1 px-3 py-2">
        <QueryBar label="Query" value={q} onCommit={list.setQuery} placeholder={placeholder} />
        {query.conditions.length > 0 && <p className="text-2xs text-text-3">Figures are of the observations that meet the query.</p>}
      </div>
      {since !== undefined && <Banner tone="warn" className="mx-3 mb-2">This range has more rows than one read looks at. Figures are of those since <AbsoluteTime value={since} />.</Banner>}
      <SweepBar busy={pages.busy && !pages.pending} />
      {pages.error !== null && pages.rows.list.length > 0 && <Banner tone="danger">The newest rows could not be read. What you see was read before.</Banner>}
      <DataTable
        label={title} known={known} shown={shown} card={phone ? card : undefined} rows={pages.rows} keyOf={idOf} nameOf={idOf} total={total} onOpen={onOpen} onPeek={onOpen}
        sort={list.sort} onSort={list.setSort} onVisible={list.onVisible} instead={insteadOfRows(noun, list, children)}
      />
    </div>
  );
}

function insteadOfRows<Row>(noun: string, { pages, q, query, range, setRange, setQuery }: Activity<Row>, howTo: ReactNode) {
  const [problem] = query.problems;
  if (problem !== undefined) {
    return (
      <p className="p-6 text-center text-sm text-text-2">
        The query cannot be read at <code className="font-mono text-xs text-danger">{q.slice(problem.from, problem.to)}</code>: {problem.message}
      </p>
    );
  }
  if (pages.error !== null && (pages.rows.list.length === 0 || pages.stale)) return <ErrorState error={pages.error} onRetry={pages.retry} />;
  if (pages.rows.list.length > 0) return undefined;
  if (pages.pending || pages.stale) return <SkeletonRows rows={14} label="Loading rows" />;
  const wider = widerRange(range);
  return (
    <EmptyState
      icon={SearchX} title={q === "" ? `No ${noun} in this time` : `No ${noun} match the query`}
      actions={
        <>
          <Button onClick={() => setRange(wider)}>{describeRange(wider)}</Button>
          {q !== "" && <Button variant="ghost" onClick={() => setQuery("")}>Clear the query</Button>}
        </>
      }
    >
      {q === "" && howTo}
    </EmptyState>
  );
}
