import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useMemo } from "react";
import { useProject } from "@/shared/api/project";
import { DataTable } from "@/shared/table/DataTable";
import type { Rows } from "@/shared/table/rows";
import type { Selection } from "@/shared/table/selection";
import type { RowPages } from "@/shared/table/useRowPages";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import type { Observation, Preview } from "./api";
import { PreviewContext, ScoreContext, SeveralRootsContext } from "./columns";
import type { ListState } from "./listState";
import { NewRowsPill } from "./NewRowsPill";
import { rowCard } from "./RowCard";
import { SlowRead } from "./SlowRead";
import { rowKey } from "./useChosen";
import type { useColumns } from "./useColumns";
import type { Scores } from "./useScores";

const EmptyResult = lazy(async () => ({ default: (await import("./EmptyResult")).EmptyResult }));

export interface ListTableProps {
  label: string;
  state: ListState;
  columns: ReturnType<typeof useColumns>;
  pages: RowPages<Observation>;
  /** Ends the reading. */
  onCancel: () => void;
  previews: { get: (row: Observation) => Preview | undefined };
  scores: Scores;
  onVisible: (from: number, to: number) => void;
  total: number | undefined;
  /** Rows that came since the list was read. */
  fresh: number;
  phone: boolean;
  peek: string | undefined;
  onOpen: (row: Observation) => void;
  onPeek: (row: Observation) => void;
  selection: Selection;
  onSelection: (selection: Selection) => void;
}

const nameOf = (row: Observation) => `${row.name || row.traceName || row.id}`;

/** The rows of the list, or what stands in their place. */
export function ListTable({ label, state, columns, pages, onCancel, previews, scores, onVisible, total, fresh, phone, peek, onOpen, onPeek, selection, onSelection }: ListTableProps) {
  const { rows } = pages;
  const several = useMemo(() => (state.table === "traces" ? repeatedTraces(rows) : new Set<string>()), [state.table, rows]);
  const open = rows.list.find(({ id }) => id === peek);
  const instead = useInstead(state, pages);
  return (
    <PreviewContext value={previews}>
      <ScoreContext value={scores}>
        <SeveralRootsContext value={several}>
          <div className="relative flex min-w-0 flex-1 flex-col" aria-busy={pages.busy}>
            {pages.busy && <SlowRead onCancel={onCancel} />}
            <NewRowsPill count={fresh} state={state} />
            {pages.error !== null && rows.list.length > 0 && <Banner tone="danger">The newest rows could not be read. What you see was read before.</Banner>}
            <DataTable
              label={label} known={columns.known} shown={columns.shown} widths={columns.widths} onWidth={columns.setWidth} card={phone ? rowCard : undefined}
              rows={rows} keyOf={rowKey} nameOf={nameOf} total={total} open={open && rowKey(open)} onOpen={onOpen} onPeek={onPeek}
              selection={selection} onSelection={onSelection} onVisible={onVisible} instead={instead}
            />
          </div>
        </SeveralRootsContext>
      </ScoreContext>
    </PreviewContext>
  );
}

function useInstead(state: ListState, { rows, pending, stale, stopped, error, retry }: RowPages<Observation>) {
  const navigate = useNavigate();
  const { id } = useProject();
  const [problem] = state.query.problems;
  if (problem !== undefined) {
    return (
      <p className="p-6 text-center text-sm text-text-2">
        The query cannot be read at <code className="font-mono text-xs text-danger">{state.q.slice(problem.from, problem.to)}</code>: {problem.message}
      </p>
    );
  }
  if (stopped) {
    return (
      <div role="status" className="flex flex-col items-center gap-3 p-6 text-sm text-text-2">
        You ended the reading before rows came.
        <Button onClick={state.refresh}>Read again</Button>
      </div>
    );
  }
  if (rows.list.length > 0) return undefined;
  if (error !== null) return <ErrorState error={error} onRetry={retry} />;
  if (pending || stale) return <SkeletonRows rows={14} label="Loading rows" />;
  return <Suspense><EmptyResult state={state} onSetup={() => void navigate({ to: "/project/$projectId/setup", params: { projectId: id } })} /></Suspense>;
}

/** Traces that show more than one root among the loaded rows. */
function repeatedTraces({ list }: Rows<Observation>): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { traceId } of list) {
    if (traceId === null) continue;
    if (seen.has(traceId)) repeated.add(traceId);
    seen.add(traceId);
  }
  return repeated;
}
