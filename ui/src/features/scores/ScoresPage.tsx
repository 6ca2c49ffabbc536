import { Link, useNavigate } from "@tanstack/react-router";
import { ChartColumn, Download, RefreshCw, SearchX, Trash2 } from "lucide-react";
import { useCallback, useState } from "react";
import { usePeople } from "@/shared/api/people";
import { allows, useProject } from "@/shared/api/project";
import { scoreColumns } from "@/shared/filter/scores";
import { cx } from "@/shared/lib/classes";
import { formatNumberOf } from "@/shared/lib/format";
import { download } from "@/shared/lib/download";
import { describeRange, widerRange } from "@/shared/lib/range";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { DataTable } from "@/shared/table/DataTable";
import { isSelected, nothing } from "@/shared/table/selection";
import { useMedia } from "@/shared/table/useMedia";
import { Banner } from "@/shared/ui/Banner";
import { Button, buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { PageHeader } from "@/shared/ui/PageHeader";
import { QueryBar } from "@/shared/ui/QueryBar";
import { RangePicker } from "@/shared/ui/RangePicker";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { SweepBar } from "@/shared/ui/SweepBar";
import type { Score } from "./api";
import { card, known, NamesContext, shown } from "./columns";
import { scoresCsv } from "./csv";
import { DeleteScores } from "./DeleteScores";
import { type ScoreList, useScoreList } from "./useScoreList";

const idOf = ({ id }: Score) => id;
const nameOf = ({ name }: Score) => name;

/** All scores of a project: what programs, evaluators and people think of its traces, observations and sessions. */
export function ScoresPage() {
  const project = useProject();
  const list = useScoreList();
  const people = usePeople();
  const phone = useMedia("(max-width: 639px)");
  const open = useOpenSubject();
  const [deleting, setDeleting] = useState(false);
  const { pages, selection, setSelection } = list;
  const chosen = pages.rows.list.filter(({ id }) => isSelected(selection, id));
  const rows = chosen.length > 0 ? chosen : pages.rows.list;
  useShortcuts("List", [{ keys: "r", label: "Refresh", run: list.refresh }]);
  return (
    <NamesContext value={people}>
      <div className="flex h-full min-h-0 min-w-0 flex-col">
        <PageHeader
          title="Scores"
          actions={
            <>
              <Link to="/project/$projectId/scores/analytics" params={{ projectId: project.id }} search={(list.q === "" ? {} : { a: list.q }) as never} className={buttonClass("secondary")}><ChartColumn size={14} aria-hidden />Analytics</Link>
              <RangePicker value={list.range} onChange={list.setRange} now={list.now} />
              <IconButton icon={RefreshCw} label="Refresh" keys="r" iconClassName={cx(pages.busy && "animate-spin")} onClick={list.refresh} />
            </>
          }
        />
        <div className="flex flex-wrap items-start gap-2 px-3 py-2">
          <QueryBar label="Query" className="min-w-60 flex-1" value={list.q} onCommit={list.setQuery} catalog={scoreColumns} placeholder="name:helpful source:ANNOTATION value:<0.5" />
          <Button icon={Download} disabled={rows.length === 0} onClick={() => download(new Blob([scoresCsv(rows, people)], { type: "text/csv" }), "scores.csv")}>
            {chosen.length > 0 ? `CSV of ${chosen.length}` : "CSV"}
          </Button>
          {chosen.length > 0 && allows(project.role, "MEMBER") && <Button icon={Trash2} className="text-danger!" onClick={() => setDeleting(true)}>Delete {chosen.length}</Button>}
        </div>
        <span role="status" className="sr-only">{pages.pending ? "" : `${formatNumberOf(pages.rows.list.length, "score")} loaded`}</span>
        <SweepBar busy={pages.busy && !pages.pending} />
        {pages.error !== null && pages.rows.list.length > 0 && <Banner tone="danger">The newest scores could not be read. What you see was read before.</Banner>}
        <DataTable
          label="Scores" known={known} shown={shown} card={phone ? card : undefined} rows={pages.rows} keyOf={idOf} nameOf={nameOf} onOpen={open} onPeek={open}
          selection={selection} onSelection={setSelection} onVisible={pages.look} instead={insteadOfRows(list)}
        />
        {deleting && <DeleteScores ids={chosen.map(idOf)} onClose={() => setDeleting(false)} onDeleted={() => (setDeleting(false), setSelection(nothing), list.refresh())} />}
      </div>
    </NamesContext>
  );
}

/** Opens what a score is about, where there is a page for it. */
function useOpenSubject() {
  const { id: projectId } = useProject();
  const navigate = useNavigate();
  return useCallback(
    ({ subject }: Score) => {
      if (subject?.kind === "session") void navigate({ to: "/project/$projectId/sessions/$sessionId", params: { projectId, sessionId: subject.id } });
      const traceId = subject?.kind === "trace" ? subject.id : subject?.kind === "observation" ? subject.traceId : undefined;
      const search = (subject?.kind === "observation" ? { observation: subject.id, tab: "scores" } : { tab: "scores" }) as never;
      if (traceId !== undefined) void navigate({ to: "/project/$projectId/traces/$traceId", params: { projectId, traceId }, search });
    },
    [navigate, projectId],
  );
}

function insteadOfRows({ pages, q, query, range, setRange, setQuery }: ScoreList) {
  const [problem] = query.problems;
  if (problem !== undefined) {
    return <p className="p-6 text-center text-sm text-text-2">The query cannot be read at <code className="font-mono text-xs text-danger">{q.slice(problem.from, problem.to)}</code>: {problem.message}</p>;
  }
  if (pages.error !== null && (pages.rows.list.length === 0 || pages.stale)) return <ErrorState error={pages.error} onRetry={pages.retry} />;
  if (pages.rows.list.length > 0) return undefined;
  if (pages.pending || pages.stale) return <SkeletonRows rows={14} label="Loading scores" />;
  const wider = widerRange(range);
  return (
    <EmptyState
      icon={SearchX} title={q === "" ? "No scores in this time" : "No scores match the query"}
      actions={<><Button onClick={() => setRange(wider)}>{describeRange(wider)}</Button>{q !== "" && <Button variant="ghost" onClick={() => setQuery("")}>Clear the query</Button>}</>}
    >
      {q === "" && "Scores say how good a trace, an observation or a session is. Your code and evaluators send them, and people give them on a trace or in an annotation queue."}
    </EmptyState>
  );
}
